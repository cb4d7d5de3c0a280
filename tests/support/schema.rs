//! Is an answer what the schema of its name says?

use git_reins::commands::schema::schema;
use serde_json::Value;

/// Reads an answer and holds it against the schema that it names; an answer may be a list.
pub fn follows(answer: &str) -> Value {
    let value: Value = serde_json::from_str(answer).expect(answer);
    let named = value.get(0).unwrap_or(&value)["schema"]
        .as_str()
        .expect(answer);
    let name = named
        .strip_prefix("git-reins/")
        .and_then(|name| name.strip_suffix("/1"))
        .expect(named);
    let said: Value = serde_json::from_str(&schema(name).expect(named)).expect("JSON");
    let validator = jsonschema::validator_for(&said).expect("a valid schema");
    let faults: Vec<_> = validator
        .iter_errors(&value)
        .map(|fault| fault.to_string())
        .collect();
    assert_eq!(faults, [""; 0], "{answer}");
    value
}
