/** Closes a run with one plain line that people and scripts can read: "N passed, N failed, N skipped". */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    console.log(`\n${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped`);
  }
};
