import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one line that any machine can read, after vitest's own summary: `N passed, N failed, N skipped`. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
      // Nor may a file or a suite that breaks outside its tests pass unseen.
      for (const broken of [module, ...module.children.allSuites()]) counts.failed += broken.errors().length;
    }
    const skipped = counts.skipped + counts.pending;
    const line = `${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // vitest prints its summary in this same hook: the line must come after it.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
}
