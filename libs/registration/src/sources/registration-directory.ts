import { CertificateFault, type SourceFault } from '@app/identity';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { longestCertificate } from '../certificate/registration-certificate';

const ending = '.jwt';

/** A directory of `NAME.jwt` files, one registration certificate in each. */
export class RegistrationDirectory {
  private seen = '';
  private texts: ReadonlyMap<string, string> = new Map();
  private faulty: readonly SourceFault[] = [];

  /** @param path '' = none */
  constructor(private readonly path: string) {}

  /** What the files hold, by their names. */
  get files(): ReadonlyMap<string, string> {
    return this.texts;
  }

  /** Of files that cannot be read. */
  get faults(): readonly SourceFault[] {
    return this.faulty;
  }

  /** Reads what changed. Never throws. @returns whether anything did */
  async read(): Promise<boolean> {
    if (this.path === '') return false;
    const before = this.seen;
    const states = await this.states();
    const state = states?.map((one) => one.state).join('/') ?? 'none';
    if (state === before) return false;
    if (!states) {
      const remedy = 'give the path of a directory of .jwt files that the user of the service may read';
      this.faulty = [{ source: this.path, found: 'no readable directory', remedy }];
    } else {
      await this.readAll(states.map(({ name }) => name));
    }
    this.seen = state;
    return true;
  }

  private async readAll(names: readonly string[]): Promise<void> {
    const texts = new Map<string, string>();
    const faults: SourceFault[] = [];
    for (const name of names) {
      try {
        texts.set(name, await readText(join(this.path, name)));
      } catch (error) {
        if (!(error instanceof CertificateFault)) throw error;
        faults.push({ source: name, found: error.found, remedy: error.remedy });
        // One that cannot be read is not one that was removed.
        const last = this.texts.get(name);
        if (last !== undefined) texts.set(name, last);
      }
    }
    this.texts = texts;
    this.faulty = faults;
  }

  /** The files in order, each with what changes when it does; undefined without a readable directory. */
  private async states(): Promise<readonly { readonly name: string; readonly state: string }[] | undefined> {
    const all = await readdir(this.path).catch(() => undefined);
    const names = all?.filter((name) => !name.startsWith('.') && extname(name) === ending).sort();
    return names && Promise.all(names.map(async (name) => ({ name, state: await stateOf(join(this.path, name)) })));
  }
}

/** Follows links: volumes of Kubernetes swap them. */
async function stateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return [path, found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs].join(':');
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    throw new CertificateFault('no readable file', 'make it a file that the user of the service may read');
  });
  if (bytes.length <= 2 * longestCertificate) return bytes.toString('utf8');
  throw new CertificateFault('more than 256 KiB', 'give the JWT of the registrar, and nothing else');
}
