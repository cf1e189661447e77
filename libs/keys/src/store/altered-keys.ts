import { Logger } from '@nestjs/common';

/** Reports each key whose row was changed from outside the service, once until it is valid again. */
export class AlteredKeys {
  private readonly logger = new Logger('Keys');
  private readonly found = new Set<string>();
  private observer: (() => void) | undefined;

  /** At most one observer; it is also called for those that were found before. */
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
