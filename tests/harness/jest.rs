//! jest with fast-check, against trees that would turn a failure into a pass.

use crate::{Bench, Outcome, outcome, tool};

const PROPERTY: &str = "\
const fc = require('fast-check');
const keep = require('../product');
test('keeps', () => {
  fc.assert(fc.property(fc.integer(), x => keep(x) === x), { seed: Number(process.env.FAST_CHECK_SEED) });
});
test.skip('skipped', () => {});
";

fn bench(product: &str) -> Option<Bench> {
    let jest = tool("node/node_modules/jest/bin/jest.js")?;
    let check = format!(
        "preset = \"jest-fast-check\"\nrun = [\"node\", {:?}, \"{{property_file}}\", \"-t\", \"^{{property}}$\"]\nenv = {{ NODE_PATH = {:?} }}\n",
        jest.display(),
        jest.ancestors().nth(3).unwrap().display(),
    );
    let mut bench = Bench::new(&["properties"], &check);
    bench.pin("properties/keep.test.js", PROPERTY);
    bench.write("package.json", "{}");
    bench.write("product.js", product);
    Some(bench)
}

fn judged(bench: &Bench, property: &str) -> Outcome {
    outcome(&bench.run(property, "properties/keep.test.js", "7"))
}

const BAD: &str = "module.exports = x => x > 50 ? 0 : x;\n";

#[test]
fn a_property_passes_fails_and_has_to_run() {
    let Some(good) = bench("module.exports = x => x;\n") else { return };
    assert_eq!(judged(&good, "keeps"), Outcome::Pass);
    assert_eq!(judged(&good, "skipped"), Outcome::Error);
    assert_eq!(judged(&good, "gone"), Outcome::Error);
    assert_eq!(judged(&bench(BAD).unwrap(), "keeps"), Outcome::Fail);
}

#[test]
fn nothing_of_the_tree_configures_the_run() {
    let setup = "global.test = (name, f) => {}; global.expect = () => {};";
    let hostile: &[&[(&str, &str)]] = &[
        &[("jest.config.js", "module.exports = { setupFilesAfterEnv: ['./evil.js'] };"), ("evil.js", setup)],
        &[
            ("package.json", "{\"jest\": {\"moduleNameMapper\": {\"product\": \"<rootDir>/other.js\"}}}"),
            ("other.js", "module.exports = x => x;"),
        ],
        &[(
            "babel.config.js",
            "module.exports = { plugins: [() => ({ visitor: { ArrowFunctionExpression(p) { p.node.body = { type: 'BooleanLiteral', value: true } } } })] };",
        )],
    ];
    for files in hostile {
        let Some(bench) = bench(BAD) else { return };
        files.iter().for_each(|(path, text)| bench.write(path, text));
        assert_eq!(judged(&bench, "keeps"), Outcome::Fail, "{files:?}");
    }
}
