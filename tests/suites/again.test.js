// A suite that tries again; LOG is a file outside of every tree.
const fs = require('fs');

jest.retryTimes(3);

test('tries again', () => {
  if (fs.existsSync(`${process.env.LOG}.note`)) {
    fs.writeFileSync(`${process.env.LOG}.note`, 'again\n');
    fs.readFileSync(`${process.env.LOG}.done`);
  } else {
    fs.appendFileSync(process.env.LOG, 'again\n');
  }
  expect(fs.readFileSync(process.env.LOG, 'utf8').split('again').length % 2).toBe(1);
});
