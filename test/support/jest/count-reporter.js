const { execFileSync } = require('node:child_process');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const root = join(__dirname, '../../..');
const noted = join(root, 'node_modules/.cache/test-processes.json');

/**
 * Closes a run with one plain line that people and scripts can read: "N passed, N failed, N skipped". After a whole run another
 * line before it says what was left to `npm run test:processes`, and when that last passed with this code.
 */
module.exports = class CountReporter {
  constructor({ nonFlagArgs }) {
    this.isWhole = nonFlagArgs.length === 0;
  }

  onRunComplete(contexts, results) {
    const projects = [...contexts].map(({ config }) => config.displayName?.name);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    if (this.isWhole && projects.includes('processes') && failed === 0) note();
    if (this.isWhole && projects.includes('product')) console.log(`\n${said()}`);
    console.log(`\n${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped`);
  }
};

/** What the code is: that of a commit, with what is not committed. */
function code() {
  const git = (...parameters) => execFileSync('git', parameters, { cwd: root, encoding: 'utf8' });
  return git('rev-parse', 'HEAD') + git('diff', 'HEAD');
}

function note() {
  try {
    mkdirSync(dirname(noted), { recursive: true });
    writeFileSync(noted, JSON.stringify({ at: new Date().toISOString(), code: code() }));
  } catch {
    // Not a clone.
  }
}

function said() {
  const more = '"npm run test:processes" starts and ends the service in more ways';
  try {
    const { at, code: tested } = JSON.parse(readFileSync(noted, 'utf8'));
    if (tested === code()) return `${more}; it last passed at ${at}, with this code.`;
  } catch {
    // Never run here, or not a clone.
  }
  return `${more}; it has not passed with this code. Run it before a release.`;
}
