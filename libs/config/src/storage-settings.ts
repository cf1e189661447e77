import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { Setting } from './setting';

export const eventStoreTypes = ['postgres', 'embedded'] as const;
export type EventStoreType = (typeof eventStoreTypes)[number];

export class EventStoreSettings {
  @Setting({
    description:
      '`postgres`, or `embedded` (PostgreSQL compiled to WebAssembly, one process, for development; refused in production).',
    kind: 'text',
    defaultNote: '`embedded` in development, `postgres` in production',
  })
  @IsIn(eventStoreTypes, { message: `use one of: ${eventStoreTypes.join(', ')}` })
  readonly type: EventStoreType = 'postgres';

  @Setting({
    description:
      'For `postgres`: `postgresql://user:password@host:5432/database`, or several hosts (`host1:5432,host2:5432`) of which the one that accepts writes is used; in production a database on another machine is reached over TLS with a verified certificate (`sslmode=verify-full`) unless the URL has an `sslmode`. For `embedded`: the directory that holds the data.',
    kind: 'text',
    secret: true,
    isAddress: true,
    defaultNote: '`./data` for `embedded`; required for `postgres`',
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly connectionString: string = '';
}

export class StoresSettings {
  @Setting({
    description:
      'Directory of further stores, PostgreSQL databases for tenants: each file is named as its store, and holds the connection string, as of the event store. Stores join without a restart. None when empty. See docs/tenants.md.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a directory' })
  readonly directory: string = '';
}

export class ErasureKeysSettings {
  @Setting({
    description:
      'A second PostgreSQL, `postgresql://user:password@host:5432/database`, for the keys without which erased personal data cannot be restored from a backup of the first one. Keep its own backups for days only. Several hosts and TLS as for the event store. Empty: none.',
    kind: 'text',
    secret: true,
    isAddress: true,
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly connectionString: string = '';
}

export class SecretManagerSettings {
  @Setting({
    description:
      'Password of the key store, 12 characters or more. Without it everything it sealed is lost: keep a copy.',
    kind: 'text',
    secret: true,
    defaultNote: 'required in production; in development the well-known password `development-only`',
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly strongholdPassword: string = '';
}

export class AuditSettings {
  @Setting({
    description: 'Days for which rows of the audit are kept; housekeeping removes older ones. 30 to 36,500.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(30, { message: 'give 30 to 36500 days' })
  @Max(36_500, { message: 'give 30 to 36500 days' })
  readonly retentionDays: number = 730;
}
