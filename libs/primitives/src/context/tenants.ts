import { currentTenant, inTenant, perTenant, type Tenant } from './tenant';

/** Whoever knows which tenants there are. */
export interface TenantDirectory {
  /** By its mark, ready to be worked for. */
  find(mark: string): Promise<Tenant | undefined>;
}

const nobody: TenantDirectory = {
  find: () => Promise.resolve(undefined),
};

type Opener = (tenant: Tenant) => Promise<void>;
/** Reads what may have changed of all these tenants at once. @returns those of which it was read */
type Reading = (tenants: readonly Tenant[]) => Promise<readonly Tenant[]>;

/** Of one application: who its tenants are, and what has to be there before work is done in their names. */
export class Tenants {
  private directory = nobody;
  private readonly openers: Opener[] = [];
  private readonly readings: Reading[] = [];
  private readonly endings: (() => Promise<void>)[] = [];

  /** Says from now on which tenants there are. */
  knownBy(directory: TenantDirectory): void {
    this.directory = directory;
  }

  /**
   * As `perTenant`, of what cannot be made at once.
   * @param open is called in the name of the tenant, before any other work for it, in the order of these calls
   */
  opened<T extends object>(own: T, open: (tenant: Tenant) => Promise<T>): T {
    const opened = new WeakMap<Tenant, T>();
    this.openers.push(async (tenant) => {
      opened.set(tenant, await open(tenant));
    });
    return perTenant(own, (tenant) => {
      const found = opened.get(tenant);
      if (found === undefined) throw new Error(`The tenant ${tenant.id} was not opened.`);
      return found;
    });
  }

  /** Makes a tenant ready to be worked for. */
  open(tenant: Tenant): Promise<void> {
    return inTenant(tenant, async () => {
      for (const open of this.openers) await open(tenant);
    });
  }

  /** Adds what has to be read again while tenants are worked for, because other replicas may have changed it. */
  keepUp(read: Reading): void {
    this.readings.push(read);
  }

  /** Reads it again. @returns those of which all was read */
  async readAgain(tenants: readonly Tenant[]): Promise<readonly Tenant[]> {
    let read = tenants;
    for (const reading of this.readings) if (read.length > 0) read = await reading(read);
    return read;
  }

  /** Adds what ends with a tenant. It may be asked again, after it was done as well. */
  endWith(end: () => Promise<void>): void {
    this.endings.push(end);
  }

  /** Ends all that a tenant has, for good. */
  async end(tenant: Tenant): Promise<void> {
    await inTenant(tenant, async () => {
      for (const end of this.endings) await end();
    });
  }

  /** The tenant at hand as it is at present; `undefined` where there is none. */
  async present(): Promise<Tenant | undefined> {
    const tenant = currentTenant();
    return tenant && (await this.directory.find(tenant.mark));
  }

  /**
   * Does work that no request asks for in the name of the tenant with this mark; of the service itself when it is empty. Rejects for a
   * mark that is unknown: what belongs to a tenant must not be done in another name.
   */
  async as<T>(mark: string, work: () => Promise<T>): Promise<T> {
    if (mark === '') return inTenant(undefined, work);
    const tenant = await this.directory.find(mark);
    if (tenant === undefined) throw new Error(`There is no tenant with the mark ${mark}.`);
    return inTenant(tenant, work);
  }
}
