//! What a skill is: checked names, metadata, tool declarations, groups, summaries; plain values.
