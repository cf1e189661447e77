import { answered, postForm, postJson, type Json, type Reply } from '../http/requests';
import { readJwt } from './credentials';
import { type DpopKey, dpopProof } from './dpop';
import { type Holder, keyProof } from './key-proofs';
import { credentialsOf, nonceFrom, preAuthorizedGrant, readOffer } from './wallet';

/** A wallet whose token is bound to a key, unless it has none. */
export class TokenWallet {
  constructor(
    /** The credential issuer. */
    private readonly issuer: string,
    readonly token: Json,
    readonly key: DpopKey | undefined,
    readonly configurationId: string,
    readonly client?: string,
  ) {}

  /** @param at where the replica is that is asked; the issuer itself when absent */
  async ask(keys: readonly Holder[], { token = this.token, at }: Asking = {}): Promise<Reply> {
    const nonce = await nonceFrom(this.issuer);
    const claims = this.client === undefined ? {} : { iss: this.client };
    const body = {
      credential_configuration_id: this.configurationId,
      proofs: { jwt: keys.map((key) => keyProof(key, this.issuer, nonce, { claims })) },
    };
    return this.send('credential', body, { token, at });
  }

  async copies(keys: readonly Holder[], asking: Asking = {}): Promise<string[]> {
    return credentialsOf(answered(200, await this.ask(keys, asking)));
  }

  send(path: string, body: unknown, { token = this.token, at = this.issuer }: Asking = {}): Promise<Reply> {
    const text = String(token['access_token']);
    if (!this.key) return postJson(`${at}/${path}`, body, { authorization: `Bearer ${text}` });
    const dpop = dpopProof(this.key, `${this.issuer}/${path}`, text);
    return postJson(`${at}/${path}`, body, { authorization: `DPoP ${text}`, dpop });
  }
}

interface Asking {
  readonly token?: Json | undefined;
  readonly at?: string | undefined;
}

/** What the token endpoint gives for a form, bound to the key if there is one. */
export async function tokenFor(issuer: string, form: Readonly<Record<string, string>>, key?: DpopKey): Promise<Json> {
  const proof = key ? { dpop: dpopProof(key, `${issuer}/token`) } : {};
  return answered(200, await postForm(`${issuer}/token`, Object.entries(form), proof));
}

/** Where the entry of a copy is in a status list. */
export function entryOf(credential: string): string {
  const { status } = readJwt(credential.split('~')[0] ?? '').payload as {
    status: { status_list: { uri: string; idx: number } };
  };
  return `${status.status_list.uri} ${status.status_list.idx}`;
}

/** A wallet that has redeemed an offer by its pre-authorized code; with a key for its token, if it has one. */
export async function tokenWallet(link: string, key?: DpopKey): Promise<TokenWallet> {
  const { issuer, code, configurationIds } = await readOffer(link);
  const token = await tokenFor(issuer, { grant_type: preAuthorizedGrant, 'pre-authorized_code': code }, key);
  return new TokenWallet(issuer, token, key, configurationIds[0] ?? '');
}
