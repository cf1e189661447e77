import { readFile, rename, writeFile } from 'node:fs/promises';
import { parsed, WalletFailure } from './failure';
import { generateHolderKey, type Algorithm, type HolderKey } from './keys';

export const credentialFormats = ['jwt_vc_json', 'dc+sd-jwt', 'vc+sd-jwt', 'mso_mdoc'] as const;
export type CredentialFormat = (typeof credentialFormats)[number];

/** A verified credential as the wallet keeps it. Times are RFC 3339 UTC; `expiresAt` is null when it never expires. */
export interface ReceivedCredential {
  readonly id: string;
  readonly format: CredentialFormat;
  /** The credential as issued: a compact JWT, an SD-JWT with all its disclosures, or base64url of an mdoc (IssuerSigned). */
  readonly credential: string;
  readonly configurationId: string;
  readonly credentialIssuer: string;
  readonly title: string;
  readonly type: string;
  readonly issuer: string;
  readonly claims: Record<string, unknown>;
  readonly validFrom: string | null;
  readonly expiresAt: string | null;
  /** Which of the wallet's keys it is bound to; null for a credential without holder binding. */
  readonly keyId: string | null;
  readonly receivedAt: string;
}

interface Contents {
  readonly keys: readonly HolderKey[];
  readonly credentials: readonly ReceivedCredential[];
}

/** Keys and credentials in one JSON file that only its owner can read. Not encrypted: this wallet is for development. */
export class WalletFile {
  constructor(private readonly path: string) {}

  async credentials(): Promise<readonly ReceivedCredential[]> {
    return (await this.read()).credentials;
  }

  /** The wallet's key for this algorithm, generated and saved on first use. */
  async keyFor(algorithm: Algorithm): Promise<HolderKey> {
    const contents = await this.read();
    const known = contents.keys.find((key) => key.algorithm === algorithm);
    if (known) return known;
    const key = await generateHolderKey(algorithm);
    await this.write({ ...contents, keys: [...contents.keys, key] });
    return key;
  }

  /** A key by its thumbprint, for a credential that is bound to it. */
  async key(id: string): Promise<HolderKey> {
    const found = (await this.read()).keys.find((key) => key.id === id);
    if (!found) throw new WalletFailure(`${this.path} has lost the key ${id}.`);
    return found;
  }

  async add(credential: ReceivedCredential): Promise<void> {
    const contents = await this.read();
    await this.write({ ...contents, credentials: [...contents.credentials, credential] });
  }

  private async read(): Promise<Contents> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{"keys":[],"credentials":[]}';
      throw error;
    });
    const contents = parsed(text) as Partial<Contents> | undefined;
    if (Array.isArray(contents?.keys) && Array.isArray(contents.credentials)) return contents as Contents;
    throw new WalletFailure(`${this.path} is not a wallet file; name another one with --file.`);
  }

  private async write(contents: Contents): Promise<void> {
    // Written to a temporary file and renamed, so that an interrupted write loses neither keys nor credentials.
    const draft = `${this.path}.${process.pid}.new`;
    await writeFile(draft, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.path);
  }
}
