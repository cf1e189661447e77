import { Settings, SettingsError } from '@app/config';
import { EventStore, StoreUnavailableError } from '@app/event-store';
import { validated } from '@app/http';
import { inTenant } from '@app/primitives/context';
import { isJsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { parse, YAMLError } from 'yaml';
import type { TenantContent } from './tenant';
import { limitsOf, TenantRecords } from './tenant-records';
import { CreateTenantBody } from './tenants.contract';

/** How soon a changed file is seen, in milliseconds. */
const readEvery = 5_000;
/** Milliseconds after which a file is tried again that was refused: what it conflicts with may be gone. */
const triesAgain = 60_000;
const mostBytes = 1024 * 1024;
/** Files that are read at once. */
const atOnce = 16;

interface File {
  /** The file as it was when it was tried; `undefined` to try it again. */
  seen: string | undefined;
  triedAt: number;
  fault: string | undefined;
}

/** Why a file says of no tenant what it is; the message says what to write instead. */
class FileFault extends Error {}

/**
 * Tenants that are described by files, `ID.yaml` each. A file is carried out at the start and when it changes, by every process that has it:
 * what it says already is so for all but the first. A tenant without its file stays as it is.
 */
@Injectable()
export class TenantFiles implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tenants');
  private readonly directory: string;
  private readonly files = new Map<string, File>();
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private isUnreadable = false;

  constructor(
    { tenants }: Settings,
    private readonly records: TenantRecords,
    private readonly store: EventStore,
  ) {
    this.directory = tenants.directory;
  }

  /** Throws `SettingsError` when there is no such directory. What is wrong with single files is logged, and stops nobody. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.directory === '' || !isMainThread) return;
    await this.read();
    if (this.isUnreadable) {
      const remedy = 'give the path of a directory of YAML files';
      throw new SettingsError([{ name: 'SERVICE__TENANTS__DIRECTORY', found: 'no readable directory', remedy }]);
    }
    this.timer = setInterval(() => void this.read(), readEvery).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.reading;
  }

  /** The name of the file that says what a tenant is. */
  fileOf(tenantId: string): string | undefined {
    const file = `${tenantId}.yaml`;
    return this.files.has(file) ? file : undefined;
  }

  /** Throws `tenant-managed-by-file`. */
  assertFree(tenantId: string): void {
    const file = this.fileOf(tenantId);
    if (file === undefined) return;
    const detail = `What the tenant ${tenantId} is, the file ${file} in SERVICE__TENANTS__DIRECTORY says: change or remove that.`;
    throw new Problem('tenant-managed-by-file', detail);
  }

  /** Reads the directory and carries out what has changed, as happens every few seconds. Never throws. */
  read(): Promise<void> {
    this.reading ??= inTenant(undefined, () => this.readAll()).finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readAll(): Promise<void> {
    const names = await readdir(this.directory).catch(() => undefined);
    if (names === undefined) {
      if (!this.isUnreadable) this.logger.warn({ event: 'tenants.directory-unreadable' }, 'Tenants stay as they are');
      this.isUnreadable = true;
      return;
    }
    this.isUnreadable = false;
    // Kubernetes keeps the files of a volume in directories whose names begin with a dot.
    const named = names.filter((name) => !name.startsWith('.') && /^\.ya?ml$/i.test(extname(name))).sort();
    for (const file of this.files.keys()) if (!named.includes(file)) this.files.delete(file);
    for (let from = 0; from < named.length; from += atOnce) {
      await Promise.all(named.slice(from, from + atOnce).map((name) => this.look(name)));
    }
  }

  private async look(name: string): Promise<void> {
    // Follows links.
    const found = await stat(join(this.directory, name)).catch(() => undefined);
    const state = [found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs].join(':');
    const file = this.files.get(name) ?? { seen: undefined, triedAt: -Infinity, fault: undefined };
    this.files.set(name, file);
    const now = performance.now();
    if (file.seen === state && (file.fault === undefined || now - file.triedAt < triesAgain)) return;
    try {
      await this.carryOut(name);
      file.fault = undefined;
    } catch (error) {
      // The database is asked again by the next round.
      if (error instanceof StoreUnavailableError) return;
      const reason = reasonOf(error);
      if (reason !== file.fault || file.seen !== state) {
        this.logger.error({ event: 'tenants.file-refused', source: name, reason }, 'The tenant stays as it is');
      }
      file.fault = reason;
    }
    Object.assign(file, { seen: state, triedAt: now });
  }

  private async carryOut(name: string): Promise<void> {
    const tenantId = basename(name, '.yaml');
    if (extname(name) !== '.yaml') throw new FileFault('name it ID.yaml');
    const { content, store } = describedIn(await textOf(join(this.directory, name)), tenantId);
    const done = await this.records.put(tenantId, content, store);
    if (done === 'same') return;
    const event = done === 'made' ? 'tenants.file-made' : 'tenants.file-changed';
    this.logger.log({ event, source: name });
    const action = done === 'made' ? 'tenants.create' : 'tenants.change';
    const principal = `file:${name}`;
    await this.store.audit({ principal, client: null, action, object: tenantId, outcome: 'ok', requestId: null });
  }
}

async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    throw new FileFault('make it a file that the user of the service may read');
  });
  if (bytes.length > mostBytes) throw new FileFault('give it at most 1 MiB');
  return bytes.toString('utf8');
}

interface Described {
  readonly content: TenantContent;
  readonly store: string | undefined;
}

function describedIn(text: string, tenantId: string): Described {
  let written: unknown;
  try {
    written = parse(text);
  } catch (error) {
    // The parser's message quotes the text.
    const line = error instanceof YAMLError ? error.linePos?.[0].line : undefined;
    throw new FileFault(`correct its YAML${line === undefined ? '' : ` (line ${line})`}`);
  }
  if (!isJsonObject(written)) throw new FileFault('write a tenant, such as displayName: Musterstadt');
  const named = written['tenantId'];
  if (named !== undefined && named !== tenantId) {
    throw new FileFault('tenantId must be as the name of the file, or absent');
  }
  const described = validated(CreateTenantBody, { ...written, tenantId });
  const { displayName, publicUrl, settings = {}, limits = {}, store } = described;
  const own = publicUrl !== undefined && { publicUrl };
  return { content: { displayName, ...own, settings, limits: limitsOf(limits) }, store };
}

function reasonOf(error: unknown): string {
  if (error instanceof FileFault) return error.message;
  if (!(error instanceof Problem)) return error instanceof Error ? error.name : 'unknown';
  const { violations, detail } = error;
  return violations.length === 0
    ? detail
    : violations.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
}
