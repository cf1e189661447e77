import { Logger } from '@nestjs/common';

/** Says once of each key that its row was changed past the service, until it is right again. */
export class AlteredKeys {
  private readonly logger = new Logger('Keys');
  private readonly found = new Set<string>();
  private observer: (() => void) | undefined;

  /** One observer at most is told of each, also of those that were found before. */
  observe(observer: () => void): void {
    this.observer = observer;
    for (const _ of this.found) observer();
  }

  note(id: string, isAltered: boolean): void {
    if (!isAltered) this.found.delete(id);
    if (!isAltered || this.found.has(id)) return;
    this.found.add(id);
    this.logger.error({ event: 'keys.row-altered', keyId: id });
    this.observer?.();
  }
}
