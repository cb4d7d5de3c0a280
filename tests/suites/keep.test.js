// Properties of `keep`; LOG is a file outside of every tree, SEED the seed of the run.
const fs = require('fs');
const fc = require('fast-check');
const keep = require('../product');

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED) });

function log(line) {
  if (fs.existsSync(`${process.env.LOG}.note`)) {
    fs.writeFileSync(`${process.env.LOG}.note`, `${line}\n`);
    fs.readFileSync(`${process.env.LOG}.done`);
  } else {
    fs.appendFileSync(process.env.LOG, `${line}\n`);
  }
  return fs.readFileSync(process.env.LOG, 'utf8').split('\n').filter((other) => other === `${line}`).length;
}

const holds = () => fc.assert(fc.property(fc.integer(), (x) => keep(x) === x));

log('started');

test('keeps', holds);

// fails with seed 8 every other time, from the first time on
test('shaky', () => {
  const { SEED } = process.env;
  expect(log(`shaky ${SEED}`) % 2 === 0 || SEED !== '8').toBe(true);
  holds();
});

test('draws', () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (x) => void log(x)));
});

test.skip('skipped', holds);
test.todo('todo');
test.failing('expected to fail', () => {
  throw new Error();
});
