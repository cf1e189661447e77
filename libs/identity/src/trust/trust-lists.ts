import { Settings } from '@app/config';
import { OutboundClient, OutboundError } from '@app/outbound';
import { Injectable } from '@nestjs/common';
import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CertificateFault, type SourceFault } from '../certificate-fault';
import { readPem } from '../pem';
import type { TrustAnchor } from './trust-anchor';
import { hasSignerIn, longestList, readTrustedEntities, type TrustedEntities } from './trusted-entities';

const minute = 60_000;
const hour = 60 * minute;

interface Source {
  readonly url: string;
  /** Path of the PEM file with the certificates of those who may sign it. */
  readonly signers: string;
  readonly types: readonly string[];
  /** What the file has held last, '' when it could not be read. */
  signersText?: string;
  current?: TrustedEntities;
  fault?: CertificateFault;
  /** When to ask again, in ms. */
  due: number;
}

/** Lists of trusted entities from the web: asked for every hour, the last good one kept until it expires. */
@Injectable()
export class TrustLists {
  private readonly sources: readonly Source[];

  constructor(
    settings: Settings,
    private readonly outbound: OutboundClient,
  ) {
    this.sources = settings.trust.lists.map((entry) => {
      const [url = '', signers = '', ...types] = entry.trim().split(/\s+/);
      return { url, signers, types, due: 0 };
    });
  }

  anchors(now: Date): readonly TrustAnchor[] {
    return this.sources.flatMap(({ current }) => (current && now < current.nextUpdate ? current.anchors : []));
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

  /** Whether the files with the signers can be read. Throws `CertificateFault`. */
  async checkSigners(): Promise<void> {
    for (const { signers } of this.sources) await readSigners(signers);
  }

  /**
   * Asks for the lists that are due, and gives up those whose signer is trusted no longer. Never throws.
   * @returns whether anything changed
   */
  async refresh(now: Date): Promise<boolean> {
    const withdrawn = await Promise.all(this.sources.map((source) => withdrawSigner(source)));
    const due = this.sources.filter((source) => source.due <= now.getTime());
    // Whoever asks meanwhile does not ask a second time.
    for (const source of due) source.due = now.getTime() + minute;
    const changes = await Promise.all(due.map((source) => this.refreshOne(source, now)));
    return [...withdrawn, ...changes].includes(true);
  }

  private async refreshOne(source: Source, now: Date): Promise<boolean> {
    const before = JSON.stringify([source.current?.sequence, source.fault?.message]);
    try {
      await readSigners(source.signers);
      const { url, types } = source;
      const { body } = await this.outbound.get(url, { purpose: 'trust-lists', accept: ['*/*'], maxBytes: longestList });
      // Those of now: they may have changed while the list was on its way.
      const signers = await readSigners(source.signers);
      const { current } = source;
      const read = readTrustedEntities(body.toString('utf8'), { url, types, signers }, now);
      if (current !== undefined && read.sequence < current.sequence) {
        throw new CertificateFault(
          'an older list than before',
          'ask its operator; the newer one is kept until it expires',
        );
      }
      source.current = read;
      delete source.fault;
      source.due = Math.min(now.getTime() + hour, Math.max(read.nextUpdate.getTime(), now.getTime() + minute));
    } catch (error) {
      source.fault = faultOf(error);
    }
    return before !== JSON.stringify([source.current?.sequence, source.fault?.message]);
  }
}

/** Does nothing while the file cannot be read, which is a fault at the next request. @returns whether the list was given up */
async function withdrawSigner(source: Source): Promise<boolean> {
  const text = await readFile(source.signers, 'utf8').catch(() => '');
  if (text !== source.signersText) source.due = 0;
  source.signersText = text;
  if (source.current === undefined) return false;
  try {
    if (hasSignerIn(source.current, signersIn(text))) return false;
  } catch {
    return false;
  }
  delete source.current;
  return true;
}

async function readSigners(path: string): Promise<readonly X509Certificate[]> {
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
    return signersIn(text);
  } catch (error) {
    throw error instanceof CertificateFault ? new CertificateFault(`${error.found} in ${path}`, error.remedy) : error;
  }
}

function signersIn(text: string): readonly X509Certificate[] {
  return readPem(text, 'refused').map(({ certificate }) => certificate);
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
