/** How often work gets its time again because the machine did not let this process have it. */
const mostExtensions = 3;

/**
 * Calls back when work in another thread has had its time. A machine that is busy with something else can let the time
 * pass before the work has begun: when this process had little of the processor meanwhile, the time begins again.
 */
export class Deadline {
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
    this.isOver = true;
  }

  private isOver = false;

  private begin(extensions: number): NodeJS.Timeout {
    const before = this.processorTime();
    return setTimeout(() => {
      // An answer that has arrived by now is read first.
      setImmediate(() => {
        if (this.isOver) return;
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
