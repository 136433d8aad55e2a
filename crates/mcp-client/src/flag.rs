//! The switch: without it nothing is loaded and nothing is fetched.

/// The variables that switch skills of other servers on; each does alone.
pub const FLAG_VARIABLES: [&str; 2] = ["METIER_MCP_SKILLS", "FEATURE_MCP_SKILLS"];

/// Whether skills of other servers are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flag {
    /// No request leaves.
    #[default]
    Off,
    /// Servers are asked.
    On,
}

impl Flag {
    /// What the environment says; `look` answers a variable's value. Only `1` switches on.
    ///
    /// ```
    /// use metier_mcp_client::Flag;
    ///
    /// assert_eq!(Flag::of(|_| None), Flag::Off);
    /// assert_eq!(Flag::of(|name| (name == "FEATURE_MCP_SKILLS").then(|| "1".to_owned())), Flag::On);
    /// assert_eq!(Flag::of(|_| Some("yes".to_owned())), Flag::Off);
    /// ```
    pub fn of(look: impl Fn(&str) -> Option<String>) -> Self {
        let on = FLAG_VARIABLES
            .iter()
            .any(|name| look(name).is_some_and(|value| value.trim() == "1"));
        if on { Self::On } else { Self::Off }
    }

    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}
