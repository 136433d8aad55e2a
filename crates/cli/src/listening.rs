//! Where `metier serve` listens.

use std::net::{IpAddr, ToSocketAddrs as _};

use clap::Args;
use metier::McpHttpConfig;

use crate::Failure;
use crate::config::{Config, Key, Value};
use crate::options::place;

#[derive(Args, Clone, Default)]
pub(crate) struct Listening {
    /// The address to listen on [default: 127.0.0.1].
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
    /// The port; 0 takes any free one [default: 8765].
    #[arg(long)]
    port: Option<u16>,
    /// A name besides those of this machine under which clients may call the server, with or without a
    /// port; may be given several times.
    #[arg(long = "allowed-host", value_name = "HOST")]
    allowed_hosts: Vec<String>,
    /// The origin of a web page that may call the server, as browsers send it (`https://tools.example`); may be
    /// given several times.
    #[arg(long = "allowed-origin", value_name = "ORIGIN")]
    allowed_origins: Vec<String>,
}

impl Listening {
    /// Puts the options on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let layer = &mut config.layer;
        layer.option(Key::Host, self.host.clone().map(Value::Text));
        layer.option(Key::Port, self.port.map(|port| Value::Count(port.into())));
        let hosts = (!self.allowed_hosts.is_empty()).then(|| self.allowed_hosts.clone());
        layer.option(Key::AllowedHosts, hosts.map(Value::Texts));
        let origins = (!self.allowed_origins.is_empty()).then(|| self.allowed_origins.clone());
        layer.option(Key::AllowedOrigins, origins.map(Value::Texts));
    }
}

/// Where the settings say. Beyond this machine only for one who says on the command line that it is meant:
/// a file that travels with a project must not be able to.
pub(crate) fn http(config: &Config, is_meant: bool) -> Result<McpHttpConfig, Failure> {
    let host = config.text(Key::Host).unwrap_or("127.0.0.1");
    if !is_meant && !is_loopback(host) {
        return Err(Failure::Usage(format!(
            "{} {host}: this address can be reached from other machines, and the server runs scripts for \
             whoever calls; listen on 127.0.0.1, or add --insecure if you mean it",
            place(config, Key::Host)
        )));
    }
    let port = config.number(Key::Port).unwrap_or_default();
    let mut http = McpHttpConfig::new(u16::try_from(port).unwrap_or_default());
    host.clone_into(&mut http.host);
    http.allowed_hosts = config.texts(Key::AllowedHosts).to_vec();
    http.allowed_origins = config.texts(Key::AllowedOrigins).to_vec();
    Ok(http)
}

/// Whether only this machine can reach the address.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = host.parse::<IpAddr>() {
        return address.is_loopback();
    }
    match (host, 0_u16).to_socket_addrs() {
        Ok(addresses) => {
            let mut addresses = addresses.peekable();
            addresses.peek().is_some() && addresses.all(|address| address.ip().is_loopback())
        }
        // A name that means nothing is refused when the server starts to listen.
        Err(_) => true,
    }
}
