import { type Prover, SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { ProofKeys } from '@app/keys';
import { currentMark } from '@app/primitives/context';
import { Inject, Injectable } from '@nestjs/common';
import { type NewSession, sessionContent, type StoredSession } from './session';

/** `isPutBack`: not ended, although the audit says so. Its row of before, which has a proof, too, was put back. */
type Row = Omit<StoredSession, 'isProven'> & { readonly proof: Buffer; readonly isPutBack: boolean };

const columns = `hash, id, tenant, subject, sid_hash as "sidHash", roles, authenticated_at as "authenticatedAt",
  created_at as "createdAt", ends_at as "endsAt", ended_at as "endedAt", seen_at as "seenAt", roles_read_at as "rolesReadAt",
  sealed, proof, now() as now, ended_at is null and exists (select from audit where action = 'sessions.end'
    and object = console_sessions.id and outcome = 'ok') as "isPutBack"`;

/** The table of sessions of the console. Each row has a proof of all that it grants: one that was changed by SQL grants nothing. */
@Injectable()
export class SessionRecords {
  private readonly prover: Prover;

  constructor(
    @Inject(SQL_DRIVER) private readonly executor: SqlExecutor,
    proofs: ProofKeys,
  ) {
    this.prover = proofs.for('console-sessions');
  }

  async insert({ seconds, ...session }: NewSession): Promise<void> {
    const createdAt = await this.now();
    const endsAt = new Date(createdAt.getTime() + seconds * 1000);
    const tenant = currentMark();
    const { hash, id, subject, sidHash, roles, authenticatedAt, sealed } = session;
    const proof = this.prover.prove(sessionContent({ ...session, tenant, createdAt, endsAt, endedAt: null }));
    await this.executor.query({
      name: 'console-session-insert',
      text: `insert into console_sessions
               (hash, id, tenant, subject, sid_hash, roles, authenticated_at, created_at, ends_at, sealed, proof)
             values ($1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10, $11)`,
      values: [hash, id, tenant, subject, sidHash, roles, authenticatedAt, createdAt, endsAt, sealed, proof],
    });
  }

  async find(hash: Buffer): Promise<StoredSession | undefined> {
    const rows = await this.executor.query<Row>({
      name: 'console-session-find',
      text: `select ${columns} from console_sessions where hash = $1 and tenant = $2`,
      values: [hash, currentMark()],
    });
    return rows.map((row) => this.checked(row))[0];
  }

  /** Those of the tenant at hand that have not ended, the oldest first. */
  async list(): Promise<StoredSession[]> {
    const rows = await this.executor.query<Row>({
      name: 'console-session-list',
      text: `select ${columns} from console_sessions
             where tenant = $1 and ended_at is null and ends_at > now() order by created_at, id limit 1000`,
      values: [currentMark()],
    });
    return rows.map((row) => this.checked(row));
  }

  /** Those of a person, in every tenant. */
  async ofSubject(subject: string): Promise<StoredSession[]> {
    const rows = await this.executor.query<Row>({
      name: 'console-session-of-subject',
      text: `select ${columns} from console_sessions where subject = $1 and ended_at is null`,
      values: [subject],
    });
    return rows.map((row) => this.checked(row));
  }

  /** That of a person with the roles that were read last, whether it has ended or not. */
  async latest(subject: string): Promise<StoredSession | undefined> {
    const rows = await this.executor.query<Row>({
      name: 'console-session-latest',
      text: `select ${columns} from console_sessions where subject = $1 and tenant = $2
             order by roles_read_at desc, created_at desc, id limit 1`,
      values: [subject, currentMark()],
    });
    return rows.map((row) => this.checked(row))[0];
  }

  /** Those that began with one session at the provider, in every tenant. */
  async ofProviderSession(sidHash: Buffer): Promise<StoredSession[]> {
    const rows = await this.executor.query<Row>({
      name: 'console-session-of-sid',
      text: `select ${columns} from console_sessions where sid_hash = $1 and ended_at is null`,
      values: [sidHash],
    });
    return rows.map((row) => this.checked(row));
  }

  /** Notes that its person does something. Whether it has ended is judged before. */
  async touch(hash: Buffer): Promise<void> {
    await this.executor.query({
      name: 'console-session-touch',
      text: `update console_sessions set seen_at = now() where hash = $1 and tenant = $2 and ended_at is null`,
      values: [hash, currentMark()],
    });
  }

  /** Whether this replica is the one that asks for the roles now; the others go on with those of before for a minute. */
  async claimRoles(hash: Buffer): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'console-session-claim',
      text: `update console_sessions set roles_read_at = now() - interval '14 minutes'
             where hash = $1 and tenant = $2 and roles_read_at <= now() - interval '15 minutes' returning id`,
      values: [hash, currentMark()],
    });
    return rows.length > 0;
  }

  /** Keeps what the provider says of the person now. */
  async renew(session: StoredSession, now: Pick<StoredSession, 'roles' | 'sealed'>): Promise<void> {
    await this.executor.query({
      name: 'console-session-renew',
      text: `update console_sessions set roles = $3::text[], sealed = $4, proof = $5, roles_read_at = now()
             where hash = $1 and tenant = $2 and ended_at is null`,
      values: [
        session.hash,
        session.tenant,
        now.roles,
        now.sealed,
        this.prover.prove(sessionContent({ ...session, ...now })),
      ],
    });
  }

  /** Ends it for good. */
  async end(session: StoredSession): Promise<void> {
    const endedAt = await this.now();
    // What was changed by SQL gets no proof by that.
    const proof = session.isProven
      ? this.prover.prove(sessionContent({ ...session, endedAt, sealed: '' }))
      : Buffer.alloc(0);
    await this.executor.query({
      name: 'console-session-end',
      text: `update console_sessions set ended_at = $3, sealed = '', proof = $4 where hash = $1 and tenant = $2`,
      values: [session.hash, session.tenant, endedAt, proof],
    });
  }

  /** Removes those that are over for a day: a clock that goes back an hour brings none of them back. */
  async removeOld(): Promise<void> {
    await this.executor.query({
      name: 'console-session-remove-old',
      text: `delete from console_sessions where ends_at < now() - interval '1 day'`,
      values: [],
    });
  }

  private checked({ proof, isPutBack, ...row }: Row): StoredSession {
    return { ...row, isProven: !isPutBack && this.prover.check(sessionContent(row), proof) };
  }

  /** The clock of the database, in milliseconds: what is proven has to be known before it is written. */
  private async now(): Promise<Date> {
    const [row] = await this.executor.query<{ now: Date }>({
      name: 'console-session-now',
      text: `select date_trunc('milliseconds', now()) as now`,
      values: [],
    });
    if (!row) throw new Error('The database returned no time.');
    return row.now;
  }
}
