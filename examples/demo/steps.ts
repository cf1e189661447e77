/** Runs the steps of the demo one after the other and prints each with its outcome and time. */
export class Steps {
  failed = false;
  private printedAt = performance.now();

  headline(title: string): void {
    process.stdout.write(`\n${title}\n`);
  }

  /**
   * One step; a failure is printed and thrown on, because the next step would build on it.
   * @param work may say what is printed beside the name
   */
  async run<T>(name: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T> {
    const start = performance.now();
    let detail: string | undefined;
    try {
      const result = await work((said) => (detail = said));
      this.passed(name, performance.now() - start, detail);
      return result;
    } catch (error) {
      this.failed = true;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`  ✗ ${name}\n      ${reason.replaceAll('\n', '\n      ')}\n`);
      throw error;
    }
  }

  /** A step that another program has run since the last line was printed. */
  lap(name: string, detail: string): void {
    this.passed(name, performance.now() - this.printedAt, detail);
  }

  private passed(name: string, milliseconds: number, detail?: string): void {
    const time = `${milliseconds.toFixed(0)} ms`.padStart(8);
    process.stdout.write(`  ✓ ${name.padEnd(44)}${time}${detail === undefined ? '' : `   ${detail}`}\n`);
    this.printedAt = performance.now();
  }
}
