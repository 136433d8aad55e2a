//! Two skills whose tools would have one name on the wire, as the catalog tells them.

use metier_catalog::name_clashes;
use metier_diagnostics::Diagnostic;

use super::Served;
use crate::places::Places;

pub(super) fn find(served: &[Served<'_, '_>]) -> Vec<(usize, Diagnostic)> {
    let clashes = name_clashes(served.iter().map(|served| served.subject.metadata()));
    let found = clashes.iter().filter_map(|clash| {
        let served = served.get(clash.skill)?;
        let place = Places::new(served.subject).name(&clash.tool);
        Some((served.number, clash.at(place)))
    });
    found.collect()
}
