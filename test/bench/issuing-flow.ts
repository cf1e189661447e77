import { type Holder, keyProof } from '../support/wallets/key-proofs';
import { type Card, sdJwtCard } from './cards';
import { type Flow, form, json, parameterOf, pathOf } from './flow';
import type { Exchange, Sender } from './http-client';

/** What differs between the servers that issue. */
export interface Issuer {
  /** The credential issuer identifier: the audience of key proofs. */
  readonly identifier: string;
  /** Path of its metadata, and of that of its authorization server. */
  readonly metadata: readonly [string, string];
  /** Submits the data of one credential. Returns the link that the portal shows. */
  offer(client: Sender, claims: object): Promise<string>;
  /** The body of a credential request with one key proof. */
  credentialRequest(proof: string): object;
  /** What is issued; the SD-JWT VC when absent. */
  readonly card?: Card;
}

interface Endpoints {
  readonly token: string;
  readonly nonce: string;
  readonly credential: string;
}

/** The issuing of one credential, from the portal submitting the data to the wallet holding the credential. */
export class IssuingFlow implements Flow {
  private started = 0;

  private constructor(
    private readonly issuer: Issuer,
    readonly holders: readonly Holder[],
    private readonly endpoints: Endpoints,
  ) {}

  /** Reads the endpoints of the issuer. @param holders the wallets that take turns: in life each has a key of its own */
  static async prepare(client: Sender, issuer: Issuer, holders: readonly Holder[]): Promise<IssuingFlow> {
    const [ofIssuer, ofServer] = issuer.metadata;
    const { nonce_endpoint, credential_endpoint } = await read(client, ofIssuer);
    const { token_endpoint } = await read(client, ofServer);
    return new IssuingFlow(issuer, holders, {
      token: pathOf(token_endpoint ?? ''),
      nonce: pathOf(nonce_endpoint ?? ''),
      credential: pathOf(credential_endpoint ?? ''),
    });
  }

  async run(client: Sender): Promise<void> {
    const holder = this.holders[this.started++ % this.holders.length];
    if (!holder) throw new Error('There is no such wallet.');
    await this.issue(client, holder);
  }

  /** @returns a credential bound to the key of the holder */
  async issue(client: Sender, holder: Holder): Promise<string> {
    const { issuer, endpoints } = this;
    const { claims, pattern } = issuer.card ?? sdJwtCard;
    const link = await issuer.offer(client, claims);
    const offer = await client.send({ method: 'GET', path: pathOf(parameterOf(link, 'credential_offer_uri')) });
    for (const path of issuer.metadata) await client.send({ method: 'GET', path });

    const grant = form({ grant_type: preAuthorized, 'pre-authorized_code': codeOf(offer) });
    const granted = await post(client, { path: endpoints.token, ...grant });
    const { access_token: bearer = '' } = JSON.parse(granted) as { access_token?: string };
    const fresh = await post(client, { path: endpoints.nonce });
    const { c_nonce: nonce = '' } = JSON.parse(fresh) as { c_nonce?: string };
    const body = issuer.credentialRequest(keyProof(holder, issuer.identifier, nonce));
    const issued = await post(client, { path: endpoints.credential, bearer, ...json(body) });
    const { credentials = [] } = JSON.parse(issued) as { credentials?: { credential: string }[] };
    const credential = credentials[0]?.credential ?? '';
    if (!pattern.test(credential)) throw new Error(`No such credential came: ${issued}`);
    return credential;
  }
}

const preAuthorized = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

function post(client: Sender, exchange: Omit<Exchange, 'method'>): Promise<string> {
  return client.send({ method: 'POST', ...exchange });
}

async function read(client: Sender, path: string): Promise<Partial<Record<string, string>>> {
  return JSON.parse(await client.send({ method: 'GET', path })) as Partial<Record<string, string>>;
}

function codeOf(offer: string): string {
  const { grants } = JSON.parse(offer) as { grants: Record<string, { 'pre-authorized_code': string } | undefined> };
  return grants[preAuthorized]?.['pre-authorized_code'] ?? '';
}
