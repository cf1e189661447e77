import { Settings } from '@app/config';
import { readDurability, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';

/** Warns at start in production when the database may lose acknowledged writes. */
@Injectable()
export class DurabilityWarning implements OnModuleInit {
  private readonly logger = new Logger('Database');

  constructor(
    private readonly settings: Settings,
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.settings.profile !== 'production') return;
    const off = (await readDurability(this.driver)).filter(({ setting }) => setting === 'off');
    if (off.length === 0) return;
    const reason = off.map(({ name }) => `${name}=off`).join(', ');
    this.logger.warn({ event: 'database.not-durable', reason }, 'A power failure may lose acknowledged writes');
  }
}
