/** How often the timeout starts again because the machine gave this process no processor time. */
const mostExtensions = 3;

/**
 * Calls back when a check in another thread has had its time. On a busy machine that time can pass before the check got
 * any processor time: when this process had little of it meanwhile, the timeout starts again.
 */
export class CheckTimeout {
  private timer: NodeJS.Timeout;

  /** @param processorTime milliseconds that this process has had of the processor so far */
  constructor(
    private readonly longest: number,
    private readonly passed: () => void,
    private readonly processorTime = timeOfThisProcess,
  ) {
    this.timer = this.begin(mostExtensions);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.isCancelled = true;
  }

  private isCancelled = false;

  private begin(extensions: number): NodeJS.Timeout {
    const before = this.processorTime();
    return setTimeout(() => {
      // An answer that has arrived by now is read first.
      setImmediate(() => {
        if (this.isCancelled) return;
        if (extensions > 0 && this.processorTime() - before < this.longest * 0.8)
          this.timer = this.begin(extensions - 1);
        else this.passed();
      });
    }, this.longest);
  }
}

function timeOfThisProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
