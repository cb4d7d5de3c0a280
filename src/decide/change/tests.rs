//! Is every kind of weakening seen, and nothing else called one?
