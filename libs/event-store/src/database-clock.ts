/**
 * The database's clock between two looks at it: its last answer, carried on by the clock of this process. Good for
 * stamping authenticated values; what is decided inside a unit of work uses the clock that was read with the data.
 */
export class DatabaseClock {
  private offset = 0;

  observe(now: Date): void {
    this.offset = now.getTime() - Date.now();
  }

  now(): Date {
    return new Date(Date.now() + this.offset);
  }
}
