import { type SqlDriver, takeLock } from '@app/event-store';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { wrapDataKeysAnew } from '../sealing/data-keys';
import { SealBrokenError } from '../errors';
import { KeyStore, type StoredKey } from '../store/key-store';
import { isUnderPassword } from '../root/password-envelope';
import { ProofKeys } from '../proofs/proof-keys';
import { provenContent, KEY_ROWS } from '../proofs/proven-keys';
import { envelopeOf, rootGenerationOf } from '../root/root-envelope';
import { RootKey } from '../root/root-key';
import {
  HANDOVER,
  idOfHandover,
  idOfRoot,
  openHandover,
  type RootKeys,
  sealFormer,
  sealHandover,
} from '../root/root-keys';
import { isKeyPurpose, openKey, sealKey } from '../sealing/sealed-key';
import { newRootRow, openExistingRootKeys } from '../root/open-root-keys';

/** Milliseconds in which running processes follow. */
export interface RewrapPauses {
  /** Until all of them know the new root key: they read the key store every two seconds. */
  readonly knownMs: number;
  /** Until nothing comes in that was sealed under the old one: their lease and the time a request may take. */
  readonly settledMs: number;
}

/** Progress, for the operator. */
export interface RewrapReport {
  /** A sentence about what was done or comes next. */
  readonly step: (said: string) => void;
  /** How many data keys have been checked. */
  readonly dataKeys: (checked: number) => void;
}

export interface Rewrapped {
  /** Keys that do not open, and did not before. */
  readonly closed: readonly string[];
}

/** Another change of the root key is running. */
export class RewrapRunningError extends Error {
  override readonly name = 'RewrapRunningError';
  constructor() {
    super('Another process is changing the root key: let it finish.');
  }
}

/**
 * Activates a new root key and reseals all keys under it, while processes run; continues where an earlier call was
 * interrupted. First every process knows the new key, then every process uses it, then nothing is under the old one any more.
 * @throws NoKeysError, KeyStoreLockedError, SealBrokenError, RewrapRunningError
 */
export async function rewrap(
  driver: SqlDriver,
  password: string,
  pauses: RewrapPauses,
  report: RewrapReport,
  further: readonly SqlDriver[] = [],
): Promise<Rewrapped> {
  const session = await driver.session();
  try {
    if (!(await takeLock(session, 'sealwright rewrap'))) throw new RewrapRunningError();
    return await new Rewrap(driver, password, pauses, report, further).run();
  } finally {
    await session.close();
  }
}

class Rewrap {
  private readonly store: KeyStore;

  constructor(
    private readonly driver: SqlDriver,
    private readonly password: string,
    private readonly pauses: RewrapPauses,
    private readonly report: RewrapReport,
    /** Other databases with data keys. */
    private readonly further: readonly SqlDriver[],
  ) {
    this.store = new KeyStore(driver);
  }

  async run(): Promise<Rewrapped> {
    let roots = await this.open();
    if (roots.former().some(({ opens }) => opens)) {
      this.report.step('Resuming where the last run was interrupted.');
    } else {
      await this.introduce(roots);
      this.report.step('Waiting for running replicas to read the new root key.');
      await delay(this.pauses.knownMs);
      roots = await this.open();
      await this.putInForce(roots);
      this.report.step('The new root key is active; resealing keys.');
      roots = await this.open();
    }
    const inForceAt = performance.now();
    const closed = await this.sealAnew(roots);
    this.report.step('A second pass reseals keys written in the meantime.');
    await delay(Math.max(0, inForceAt + this.pauses.settledMs - performance.now()));
    await this.sealAnew(roots);
    await this.finish(roots);
    return { closed };
  }

  private open(): Promise<RootKeys> {
    return openExistingRootKeys(this.store, this.password);
  }

  /** The new root key under the password, for each later start, and under the old one, for processes that run. */
  private async introduce(roots: RootKeys): Promise<void> {
    const { current } = roots;
    let [next] = roots.coming();
    if (!next) {
      const key = randomBytes(32);
      next = new RootKey(key, current.generation + 1);
      const root = await newRootRow(this.store, next.generation, key, this.password);
      if (!(await this.add(root, roots))) throw new SealBrokenError(`The key ${root.id}`);
    }
    const now = await this.store.now();
    const id = idOfHandover(next.generation);
    const isAdded = await this.add(
      {
        id,
        purpose: HANDOVER,
        algorithm: null,
        status: 'active',
        publicJwk: null,
        sealed: sealHandover(next, current),
        createdAt: now,
        updatedAt: now,
        proof: null,
        chain: null,
        provider: null,
        reference: null,
      },
      roots,
    );
    // It may be that of an earlier call, or one that was added by hand: no running process would learn the new root key by that.
    const row = isAdded ? undefined : await this.store.find(id);
    if (row) openHandover(row, current);
  }

  /** Returns whether the id was free. */
  private async add(row: StoredKey, roots: RootKeys): Promise<boolean> {
    const proofs = await ProofKeys.openExisting(this.store, roots);
    const proof = proofs.exist ? proofs.for(KEY_ROWS).prove(provenContent(row)) : null;
    return this.store.insert({ ...row, proof });
  }

  /** The old root key goes under the new one: from then on the password opens it by way of the new one alone. */
  private async putInForce(roots: RootKeys): Promise<void> {
    const [next] = roots.coming();
    const row = await this.store.find(idOfRoot(roots.current.generation));
    if (!next || !row || !isUnderPassword(row.sealed)) throw new SealBrokenError('The key store');
    const former = { root: roots.current, retiredAt: await this.store.now(), opens: true };
    if (!(await this.store.reseal(row.id, row.sealed, sealFormer(former, next)))) {
      throw new SealBrokenError('The key store');
    }
  }

  /** Returns what cannot be opened; that is left unchanged. */
  private async sealAnew(roots: RootKeys): Promise<string[]> {
    const closed: string[] = [];
    for (const { id, purpose, sealed, provider } of await this.store.all()) {
      // There is nothing to open in the row of a key at a provider, or of a key that was destroyed.
      if (!isKeyPurpose(purpose) || provider !== null || sealed === '') continue;
      try {
        if (rootGenerationOf(envelopeOf(sealed)) === roots.current.generation) continue;
        const place = { id, purpose };
        await this.store.reseal(id, sealed, sealKey(roots.current, place, openKey(roots, place, sealed)));
      } catch (error) {
        if (!(error instanceof SealBrokenError)) throw error;
        closed.push(`key ${id}`);
      }
    }
    const streams: string[] = [];
    for (const driver of [this.driver, ...this.further])
      streams.push(...(await wrapDataKeysAnew(driver, roots, this.report.dataKeys)));
    return [...closed, ...streams.map((stream) => `data key of ${stream}`)];
  }

  /** The copy for running processes goes, and nothing opens under former root keys any more. */
  private async finish(roots: RootKeys): Promise<void> {
    for (const { id, purpose, sealed } of await this.store.all()) {
      if (purpose === HANDOVER) await this.store.reseal(id, sealed, '');
    }
    for (const former of roots.former().filter(({ opens }) => opens)) {
      const row = await this.store.find(idOfRoot(former.root.generation));
      const successor = row && roots.ofGeneration(rootGenerationOf(envelopeOf(row.sealed)));
      if (successor) await this.store.reseal(row.id, row.sealed, sealFormer({ ...former, opens: false }, successor));
    }
    this.report.step('The former root key no longer opens anything.');
  }
}
