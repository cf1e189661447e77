import { Settings } from '@app/config';
import { OutboundClient, OutboundError } from '@app/outbound';
import { Injectable, Logger, Optional } from '@nestjs/common';
import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CertificateFault, type SourceFault } from '../certificate-fault';
import { readPem } from '../pem';
import { KeptLists } from './kept-lists';
import type { TrustAnchor } from './trust-anchor';
import { hasSignerIn, longestList, readTrustedEntities, type TrustedEntities } from './trusted-entities';

const minute = 60_000;
const hour = 60 * minute;
const mostPointed = 50;

interface Source {
  readonly url: string;
  /** Path of the PEM file with the certificates of those who may sign it. */
  readonly signers: string;
  readonly types: readonly string[];
  /** What points to it, and by which certificates (SHA-256) it may be signed; absent for lists of the settings. */
  readonly pointer?: { readonly from: Source; readonly signers: ReadonlySet<string> };
  /** What the file has held last, '' when it could not be read, and whose certificates those are. */
  signersText?: string;
  pinned: readonly X509Certificate[];
  current?: TrustedEntities;
  /** What is kept of it in the database; absent before that was looked at, '' for nothing of use. */
  kept?: string;
  fault?: CertificateFault;
  /** When to ask again, in ms. */
  due: number;
}

/**
 * Lists of trusted entities from the web: asked for every hour, the last good one kept until it expires, also over a restart.
 * A list that one of the settings points to is read as well, when a signer that the settings pin for it signs it.
 */
@Injectable()
export class TrustLists {
  private readonly logger = new Logger('Trust');
  private readonly named: readonly Source[];
  private pointed: readonly Source[] = [];

  /** @param kept absent: nothing outlives the process */
  constructor(
    settings: Settings,
    private readonly outbound: OutboundClient,
    @Optional() private readonly kept?: KeptLists,
  ) {
    this.named = settings.trust.lists.map((entry) => {
      const [url = '', signers = '', ...types] = entry.trim().split(/\s+/);
      return { url, signers, types, pinned: [], due: 0 };
    });
  }

  anchors(now: Date): readonly TrustAnchor[] {
    return this.sources.flatMap((source) => {
      const isReached = source.pointer === undefined || currentOf(source.pointer.from, now) !== undefined;
      return (isReached && currentOf(source, now)?.anchors) || [];
    });
  }

  faults(): readonly SourceFault[] {
    return this.sources.flatMap(({ url, fault }) =>
      fault ? [{ source: url, found: fault.found, remedy: fault.remedy }] : [],
    );
  }

  /** When the list ends that ends first; absent without lists. One that was never read has ended. */
  firstEnd(): Date | undefined {
    const ends = this.sources.map(({ current }) => current?.nextUpdate.getTime() ?? 0);
    return ends.length === 0 ? undefined : new Date(Math.min(...ends));
  }

  /** URLs of the lists whose operators have to publish the next one by now: see `isLate`. */
  late(now: Date): readonly string[] {
    return this.sources.filter(({ current }) => !current || isLate(current, now)).map(({ url }) => url);
  }

  /** Whether the files with the signers can be read. Throws `CertificateFault`. */
  async checkSigners(): Promise<void> {
    for (const source of this.named) await readSigners(source);
  }

  /**
   * Asks for the lists that are due, and gives up those whose signer is trusted no longer. Never throws.
   * @returns whether anything changed
   */
  async refresh(now: Date): Promise<boolean> {
    const ofNamed = await this.refreshAll(this.named, now);
    this.pointed = this.follow();
    const ofPointed = await this.refreshAll(this.pointed, now);
    return ofNamed || ofPointed;
  }

  private get sources(): readonly Source[] {
    return [...this.named, ...this.pointed];
  }

  private async refreshAll(sources: readonly Source[], now: Date): Promise<boolean> {
    const restored = await Promise.all(sources.map((source) => this.restore(source, now)));
    const withdrawn = await Promise.all(sources.map((source) => withdrawSigner(source)));
    const due = sources.filter((source) => source.due <= now.getTime());
    // Whoever asks meanwhile does not ask a second time.
    for (const source of due) source.due = now.getTime() + minute;
    const changes = await Promise.all(due.map((source) => this.refreshOne(source, now)));
    return [...restored, ...withdrawn, ...changes].includes(true);
  }

  /** The lists that those of the settings point to and that their pinned signers sign; pointers in them are not followed. */
  private follow(): readonly Source[] {
    const pointed = this.named.flatMap((from) =>
      (from.current?.pointers ?? [])
        .filter(({ url, signers }) => {
          const isNamed = this.named.some((source) => source.url === url);
          return !isNamed && from.pinned.some(({ fingerprint256 }) => signers.has(fingerprint256));
        })
        .map(({ url, signers }): Source => {
          const known = this.pointed.find((source) => source.url === url && source.pointer?.from === from);
          const { signers: path, types } = from;
          return Object.assign(known ?? { url, signers: path, types, pinned: [], due: 0 }, {
            pointer: { from, signers },
          });
        }),
    );
    return pointed.slice(0, mostPointed);
  }

  /** What another process, or this one before it was started, has read last. */
  private async restore(source: Source, now: Date): Promise<boolean> {
    if (!this.kept || source.kept !== undefined) return false;
    source.kept = '';
    try {
      const text = await this.kept.read(source.url);
      if (text === undefined) return false;
      const { url, types } = source;
      source.current = readTrustedEntities(text, { url, types, signers: await readSigners(source) }, now);
      source.kept = text;
      return true;
    } catch (error) {
      // One that has ended, or of a signer of before: it is asked for anyway.
      if (!(error instanceof CertificateFault)) this.warnOf(source, 'not read back', error);
      return false;
    }
  }

  private async keep(source: Source, text: string, nextUpdate: Date): Promise<void> {
    if (!this.kept || source.kept === text) return;
    try {
      await this.kept.keep({ url: source.url, text, nextUpdate, isForced: source.kept === '' });
      source.kept = text;
    } catch (error) {
      this.warnOf(source, 'not kept', error);
    }
  }

  private warnOf({ url }: Source, what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : what;
    this.logger.warn({ event: 'trust.list-not-kept', source: url, reason }, `The list was ${what} in the database`);
  }

  private async refreshOne(source: Source, now: Date): Promise<boolean> {
    const before = JSON.stringify([source.current?.sequence, source.fault?.message]);
    try {
      await readSigners(source);
      const { url, types } = source;
      const { body } = await this.outbound.get(url, { purpose: 'trust-lists', accept: ['*/*'], maxBytes: longestList });
      // Those of now: they may have changed while the list was on its way.
      const signers = await readSigners(source);
      const { current } = source;
      const text = body.toString('utf8');
      const read = readTrustedEntities(text, { url, types, signers }, now);
      if (current !== undefined && read.sequence < current.sequence) {
        throw new CertificateFault(
          'an older list than before',
          'ask its operator; the newer one is kept until it expires',
        );
      }
      source.current = read;
      delete source.fault;
      source.due = Math.min(now.getTime() + hour, Math.max(read.nextUpdate.getTime(), now.getTime() + minute));
      await this.keep(source, text, read.nextUpdate);
    } catch (error) {
      source.fault = faultOf(error);
    }
    return before !== JSON.stringify([source.current?.sequence, source.fault?.message]);
  }
}

const lateMs = 48 * hour;

/**
 * Whether a list ends within 48 hours; of one that was made for less than four days, whether more than half of its time is over.
 */
function isLate({ issued, nextUpdate }: TrustedEntities, now: Date): boolean {
  const half = (nextUpdate.getTime() - issued.getTime()) / 2;
  return nextUpdate.getTime() - now.getTime() < Math.min(lateMs, half);
}

function currentOf({ current }: Source, now: Date): TrustedEntities | undefined {
  return current && now < current.nextUpdate ? current : undefined;
}

/** Does nothing while the file cannot be read, which is a fault at the next request. @returns whether the list was given up */
async function withdrawSigner(source: Source): Promise<boolean> {
  const text = await readFile(source.signers, 'utf8').catch(() => '');
  if (text !== source.signersText) source.due = 0;
  source.signersText = text;
  try {
    source.pinned = pinnedFor(source, text);
  } catch {
    return false;
  }
  if (source.current === undefined || hasSignerIn(source.current, source.pinned)) return false;
  delete source.current;
  return true;
}

async function readSigners(source: Source): Promise<readonly X509Certificate[]> {
  const path = source.signers;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    throw new CertificateFault(
      `no readable file ${path}`,
      'give the path of the PEM file with the certificate of its signer',
    );
  }
  try {
    return pinnedFor(source, text);
  } catch (error) {
    throw error instanceof CertificateFault ? new CertificateFault(`${error.found} in ${path}`, error.remedy) : error;
  }
}

/** Of a list that another one points to, those that both name. Throws `CertificateFault`. */
function pinnedFor({ pointer }: Source, text: string): readonly X509Certificate[] {
  const all = readPem(text, 'refused').map(({ certificate }) => certificate);
  return pointer ? all.filter(({ fingerprint256 }) => pointer.signers.has(fingerprint256)) : all;
}

function faultOf(error: unknown): CertificateFault {
  if (error instanceof CertificateFault) return error;
  if (!(error instanceof OutboundError))
    return new CertificateFault('a list that cannot be read', 'report this to the maintainers');
  return new CertificateFault(
    `no list: ${error.message}`,
    'ask its operator; the last good one is kept until it expires',
  );
}
