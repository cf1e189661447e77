import { urlOf } from '@app/primitives/url';
import { Settings, SettingsError } from '@app/config';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { readFile, stat } from 'node:fs/promises';
import { readClientsFile } from './clients-file';
import { ClientsFault, type RegisteredClient } from './registered-client';

/** How soon a changed file is seen. */
const readEveryMs = 2_000;
const mostBytes = 4 * 1024 * 1024;

/** The clients that the operator has named in a file, which may change while the service runs. */
@Injectable()
export class RegisteredClients implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Clients');
  private clients: ReadonlyMap<string, RegisteredClient> = new Map();
  private seen = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly settings: Settings) {}

  find(clientId: string): RegisteredClient | undefined {
    return this.isOfAtHand ? this.clients.get(clientId) : undefined;
  }

  all(): Iterable<RegisteredClient> {
    return this.isOfAtHand ? this.clients.values() : [];
  }

  /** The file names clients of the issuer of the settings. */
  private get isOfAtHand(): boolean {
    return this.settings.authorization.clientsFile !== '';
  }

  /** Throws `SettingsError`. */
  async onModuleInit(): Promise<void> {
    if (this.settings.authorization.clientsFile === '') return;
    try {
      await this.read();
    } catch (error) {
      if (!(error instanceof ClientsFault)) throw error;
      const { found, remedy } = error;
      throw new SettingsError([{ name: 'SERVICE__AUTHORIZATION__CLIENTS_FILE', found, remedy }]);
    }
    this.timer = setInterval(() => void this.reload(), readEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Reads the file if it has changed, as happens every two seconds. With a fault it keeps its last good state. Never throws. */
  async reload(): Promise<void> {
    try {
      if (!(await this.read())) return;
      this.logger.log({ event: 'clients.changed', clients: this.clients.size }, 'The registered clients have changed');
    } catch (error) {
      const reason = error instanceof ClientsFault ? error.message : 'unknown';
      this.logger.warn({ event: 'clients.faulty', reason }, 'Keeps the last good clients');
    }
  }

  /** @returns whether it has changed */
  private async read(): Promise<boolean> {
    const { clientsFile } = this.settings.authorization;
    // Follows links: volumes of Kubernetes swap them.
    const found = await stat(clientsFile).catch(() => undefined);
    const state = [found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs].join(':');
    if (state === this.seen) return false;
    this.seen = state;
    const text = await readFile(clientsFile, 'utf8').catch(() => undefined);
    if (text === undefined || text.length > mostBytes) {
      throw new ClientsFault('no readable file', 'give the path of a YAML file of at most 4 MiB');
    }
    const clients = readClientsFile(text, {
      allowLoopback: this.settings.profile === 'development',
      isFetchable: (url) => this.isFetchable(url),
      demandsAuthentication: this.settings.haip,
    });
    this.clients = new Map(clients.map((client) => [client.clientId, client]));
    return true;
  }

  private isFetchable(text: string): boolean {
    const url = urlOf(text);
    if (url === undefined) return false;
    const { protocol, host, hostname, port } = url;
    if (protocol === 'https:' && port === '') return true;
    const allowed = this.settings.outbound.allowPrivateHosts.map((one) => one.toLowerCase());
    return /^https?:$/u.test(protocol) && (allowed.includes(host) || allowed.includes(hostname));
  }
}
