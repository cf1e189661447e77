import { subjectOf } from '@app/credentials';
import type { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CertificateFault, type SourceFault } from '../certificate-fault';
import { readPem } from '../pem';
import { isAuthority, type TrustAnchor, trustAnchor, type Vouching } from './trust-anchor';
import { readVouching } from './vouching-file';

const mostBytes = 1024 * 1024;
const kinds = new Set(['.pem', '.yaml']);
/** Kinds of certificate files that would be passed over in silence. */
const otherKinds = new Set(['.crt', '.cer', '.der', '.p7b', '.p12', '.pfx', '.yml']);

/**
 * A directory of `NAME.pem` files, each with what it vouches for in an optional `NAME.yaml`. A file with a fault keeps
 * its last good state, so that others can still be added and withdrawn.
 */
export class AnchorDirectory {
  private seen = '';
  private byFile = new Map<string, readonly TrustAnchor[]>();
  private faulty: readonly SourceFault[] = [];

  /** @param path '' = none */
  constructor(private readonly path: string) {}

  get anchors(): readonly TrustAnchor[] {
    return [...this.byFile.values()].flat();
  }

  get faults(): readonly SourceFault[] {
    return this.faulty;
  }

  /** Reads what changed. Never throws. @returns whether anything did */
  async read(): Promise<boolean> {
    if (this.path === '') return false;
    try {
      const { files, state } = await list(this.path);
      if (state === this.seen) return false;
      await this.readAll(files);
      this.seen = state;
    } catch {
      const faults = [
        { source: this.path, found: 'no readable directory', remedy: 'give the path of a directory of PEM files' },
      ];
      const isNew = JSON.stringify(faults) !== JSON.stringify(this.faulty);
      this.faulty = faults;
      this.seen = '';
      return isNew;
    }
    return true;
  }

  private async readAll(files: readonly string[]): Promise<void> {
    const byFile = new Map<string, readonly TrustAnchor[]>();
    const faults: SourceFault[] = [];
    for (const file of files) {
      try {
        const anchors = await this.readFile(file, files);
        if (anchors !== undefined) byFile.set(file, anchors);
      } catch (error) {
        if (!(error instanceof CertificateFault)) throw error;
        const { found, remedy } = error;
        faults.push({ source: join(this.path, error.file ?? file), found, remedy });
        // Of the two files the PEM file has the anchors.
        const last = this.byFile.get(file);
        if (last) byFile.set(file, last);
      }
    }
    this.byFile = byFile;
    this.faulty = faults;
  }

  private async readFile(file: string, files: readonly string[]): Promise<readonly TrustAnchor[] | undefined> {
    const kind = extname(file);
    const name = file.slice(0, -kind.length);
    const lower = kind.toLowerCase();
    // A limit under an ending in capitals would be none.
    if (otherKinds.has(lower) || (kinds.has(lower) && kind !== lower)) {
      throw new CertificateFault(
        'a file of another kind',
        'name certificates in PEM NAME.pem, and what they are for NAME.yaml',
      );
    }
    if (kind === '.yaml' && !files.includes(`${name}.pem`)) {
      throw new CertificateFault('no certificate of that name beside it', `add ${name}.pem, or remove the file`);
    }
    if (kind !== '.pem') return undefined;
    const certificates = authoritiesIn(await readText(join(this.path, file)));
    const vouching = await this.readVouching(name, files);
    return certificates.map((certificate) => trustAnchor(certificate, vouching));
  }

  private async readVouching(name: string, files: readonly string[]): Promise<Vouching> {
    const file = `${name}.yaml`;
    try {
      return readVouching(files.includes(file) ? await readText(join(this.path, file)) : undefined, name);
    } catch (error) {
      throw error instanceof CertificateFault ? new CertificateFault(error.found, error.remedy, file) : error;
    }
  }
}

/** The certificates of authorities in a PEM text. Throws `CertificateFault`. */
function authoritiesIn(text: string): readonly X509Certificate[] {
  const certificates = readPem(text, 'refused');
  const other = certificates.find(({ certificate }) => !isAuthority(certificate));
  if (!other) return certificates.map(({ certificate }) => certificate);
  throw new CertificateFault(
    `a certificate that is not an authority (basicConstraints CA): ${subjectOf(other.certificate)} (line ${other.line})`,
    'give the root or the intermediate that issues the others',
  );
}

/** The files of a directory in order, and what changes when one of them does. */
async function list(path: string): Promise<{ files: readonly string[]; state: string }> {
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  const files: string[] = [];
  const states: string[] = [];
  for (const name of names) {
    // Follows links: volumes of Kubernetes swap them.
    const found = await stat(join(path, name)).catch(() => undefined);
    // A directory or a broken link in place of a limit is a fault, not a missing limit.
    if (found?.isFile() !== true && !kinds.has(extname(name))) continue;
    files.push(name);
    states.push([name, found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs].join(':'));
  }
  return { files, state: states.join('/') };
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    const remedy = 'make it a file that the user of the service may read';
    throw new CertificateFault('no readable file', remedy);
  });
  if (bytes.length <= mostBytes) return bytes.toString('utf8');
  throw new CertificateFault('more than 1 MiB', 'give each anchor a file of its own');
}
