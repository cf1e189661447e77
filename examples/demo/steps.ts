/** Runs the steps of the demo one after the other and prints each with its outcome and time. */
export class Steps {
  private failures = 0;
  private printedAt = performance.now();

  get failed(): boolean {
    return this.failures > 0;
  }

  headline(title: string): void {
    process.stdout.write(`\n${title}\n`);
  }

  /** One step; a failure is printed, counted and thrown on, because the next step would build on it. */
  async run<T>(name: string, work: () => Promise<T>, detail?: (result: T) => string): Promise<T> {
    const start = performance.now();
    try {
      const result = await work();
      this.passed(name, performance.now() - start, detail?.(result));
      return result;
    } catch (error) {
      this.failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`  ✗ ${name}\n      ${reason.replaceAll('\n', '\n      ')}\n`);
      throw error;
    }
  }

  /** A step that another process has run since the last line was printed. */
  lap(name: string, detail: string): void {
    this.passed(name, performance.now() - this.printedAt, detail);
  }

  private passed(name: string, milliseconds: number, detail?: string): void {
    const time = `${milliseconds.toFixed(0)} ms`.padStart(8);
    process.stdout.write(`  ✓ ${name.padEnd(44)}${time}${detail === undefined ? '' : `   ${detail}`}\n`);
    this.printedAt = performance.now();
  }
}
