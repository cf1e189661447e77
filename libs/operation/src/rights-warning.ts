import { missingRights, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';

/** Logs an error at start when the database role lacks a privilege that the service uses. */
@Injectable()
export class RightsWarning implements OnModuleInit {
  private readonly logger = new Logger('Database');

  constructor(@Inject(SQL_DRIVER) private readonly driver: SqlDriver) {}

  async onModuleInit(): Promise<void> {
    const missing = await missingRights(this.driver);
    if (missing.length === 0) return;
    const reason = missing.join(', ');
    this.logger.error(
      { event: 'database.rights-missing', reason },
      'Run "sealwright grants" as the owner of the tables',
    );
  }
}
