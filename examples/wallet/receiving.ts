import {
  Openid4vciRetrieveCredentialsError,
  Openid4vciVersion,
  type IssuerMetadataResult,
} from '@openid4vc/openid4vci';
import { randomUUID, type X509Certificate } from 'node:crypto';
import { fetchInTime, issuanceClient, type Fetch } from './client';
import { readConfiguration, type Configuration } from './configuration';
import { verifyCredential } from './credential';
import { credentialFetch } from './credential-fetch';
import { parsed, WalletFailure } from './failure';
import { proofSigner, type Algorithm, type Binding, type HolderKey } from './keys';
import { tokenFor, type Browser, type Token } from './token';
import type { ReceivedCredential, WalletFile } from './wallet-file';

export interface ReceiveOptions {
  readonly txCode?: string | undefined;
  /** Asked when the offer requires a transaction code and `txCode` is absent. */
  readonly askTxCode?: ((hint: string) => Promise<string>) | undefined;
  /** Default: the first of ES256 and EdDSA that the issuer accepts. */
  readonly key?: Algorithm | undefined;
  /** Default: the first of jwk, did:jwk and did:key that the issuer accepts. */
  readonly binding?: Binding | undefined;
  /** Reads the metadata, and speaks from then on, as a wallet of draft 13. */
  readonly draft?: '13' | undefined;
  /** Where the person decides, for offers by authorization code. */
  readonly browser?: Browser | undefined;
  /** Keeps asking for credentials whose data the issuer does not have yet. */
  readonly wait?: boolean | undefined;
}

/** What a run needs of its wallet. */
export interface Surroundings {
  readonly file: WalletFile;
  /** Whom to trust when a verifier, or the issuer of an mdoc, signs by a certificate. */
  readonly roots: readonly X509Certificate[];
  readonly onStep: (name: string, detail: string) => void;
  readonly pause: (seconds: number) => Promise<void>;
  /** Reports the step with its detail, or fails with a sentence that begins with its name. */
  readonly step: <T>(name: string, work: () => Promise<[result: T, detail: string]>) => Promise<T>;
}

/** Members of an answer with a credential, or with the reason why there is none yet. */
interface Answer {
  readonly credentials?: readonly unknown[] | undefined;
  readonly credential?: unknown;
  readonly notification_id?: string | undefined;
  /** The issuer does not have the data yet. */
  readonly transaction_id?: string | undefined;
  readonly interval?: number | undefined;
  readonly error?: unknown;
}

/** What the issuer answered to the request of one credential. */
interface Asked {
  readonly configuration: Configuration;
  readonly key: HolderKey | null;
  readonly answer: Answer;
}

/** Redeems an offer: one credential for each of its configurations, or all that the issuer names of it, verified and kept. */
export async function receive(at: Surroundings, link: string, options: ReceiveOptions): Promise<ReceivedCredential[]> {
  const offer = await at.step('offer', async () => {
    const read = await issuanceClient().resolveCredentialOffer(link);
    return [read, `${read.credential_configuration_ids.join(', ')} from ${read.credential_issuer}`];
  });
  const metadata = await at.step('metadata', async () => {
    const client = issuanceClient(undefined, options.draft === undefined ? fetchInTime : hidingFinalMetadata);
    const read = await client.resolveIssuerMetadata(offer.credential_issuer);
    return [read, `issuer and authorization server, OpenID4VCI ${versionOf(read)}`];
  });
  const configurations = offer.credential_configuration_ids.map((id) => readConfiguration(metadata, id));
  const token = await at.step('token', async () => {
    const given = await tokenFor({ credentialOffer: offer, issuerMetadata: metadata }, options, (page) => {
      at.onStep('pushed', `the person decides at ${new URL(page).origin}`);
    });
    return [given, `${given.response.token_type} token for ${given.response.expires_in ?? 'unknown'} s`];
  });
  const reception = new Reception(at, metadata, token, options);
  const received: ReceivedCredential[] = [];
  const awaited: Asked[] = [];
  for (const configuration of configurations) {
    for (const identifier of identifiersOf(configuration, token)) {
      const asked = await reception.ask(configuration, identifier);
      if (asked.answer.transaction_id === undefined) received.push(await reception.take(asked));
      else awaited.push(asked);
    }
  }
  for (const asked of awaited) received.push(await reception.take(await reception.wait(asked)));
  return received;
}

/** One token at one issuer: remembers the nonce that the next proof needs. */
class Reception {
  /** Of a token or credential response; issuers before OpenID4VCI draft 15 know no other. */
  private nonce: string | undefined;

  constructor(
    private readonly at: Surroundings,
    private readonly issuerMetadata: IssuerMetadataResult,
    private readonly token: Token,
    private readonly options: ReceiveOptions,
  ) {
    this.nonce = token.response.c_nonce;
  }

  /** Proves the key that the credential is to be bound to, and asks. @param identifier one of `identifiersOf` */
  async ask(configuration: Configuration, identifier: string | undefined): Promise<Asked> {
    const { id, binding } = configuration;
    const proven = await this.at.step<{ key: HolderKey; jwt: string } | null>('proof', async () => {
      if (!binding) return [null, 'none needed'];
      const { key: algorithm = binding.algorithms[0], binding: method = binding.methods[0] } = this.options;
      if (!algorithm || !method) throw new WalletFailure(`${id} accepts no key or binding that this wallet has.`);
      const key = await this.at.file.keyFor(algorithm);
      return [{ key, jwt: await this.prove(id, key, method) }, `${algorithm} key named by ${method}`];
    });
    const answer = await this.at.step<Answer>('credential', async () => {
      const proofs = proven && { proofs: { jwt: [proven.jwt] } };
      const proof = proven && { proof: { proof_type: 'jwt' as const, jwt: proven.jwt } };
      const asked = { ...this.access, credentialConfigurationId: id, ...(this.speaksFinal ? proofs : proof) };
      const { credentialResponse } = await this.client(identifier).retrieveCredentials(asked);
      this.nonce = credentialResponse.c_nonce ?? this.nonce;
      return [credentialResponse, answerText(configuration, credentialResponse)];
    });
    return { configuration, key: proven?.key ?? null, answer };
  }

  private async prove(credentialConfigurationId: string, key: HolderKey, binding: Binding): Promise<string> {
    const { issuerMetadata, token } = this;
    const client = issuanceClient(key);
    const fromEndpoint = this.speaksFinal && issuerMetadata.credentialIssuer.nonce_endpoint !== undefined;
    const nonce = fromEndpoint ? (await client.requestNonce({ issuerMetadata })).c_nonce : this.nonce;
    const { jwt } = await client.createCredentialRequestJwtProof({
      ...{ issuerMetadata, credentialConfigurationId, signer: proofSigner(key, binding) },
      ...(nonce !== undefined && { nonce }),
      ...(token.clientId !== undefined && { clientId: token.clientId }),
    });
    return jwt;
  }

  /** Asks until the issuer has the data, however long that takes. */
  async wait(asked: Asked): Promise<Asked> {
    const { configuration } = asked;
    let { answer } = asked;
    if (this.options.wait !== true) {
      const hint = 'An offer received with --wait waits for it; this one works again when the issuer reopens it.';
      throw new WalletFailure(`credential: ${answerText(configuration, answer)}. ${hint}`);
    }
    while (answer.transaction_id !== undefined) {
      // Draft 13 §9.3: five seconds where the issuer says nothing.
      const { transaction_id: transactionId, interval = 5 }: Answer = answer;
      this.at.onStep('waiting', `${configuration.id}: asking again in ${interval} s`);
      await this.at.pause(interval);
      answer = await this.at.step<Answer>('deferred', async () => {
        const given = await this.collect(transactionId);
        return [given, answerText(configuration, given)];
      });
    }
    return { ...asked, answer };
  }

  private async collect(transactionId: string): Promise<Answer> {
    try {
      const given = await this.client().retrieveDeferredCredentials({ ...this.access, transactionId });
      return given.deferredCredentialResponse;
    } catch (error) {
      // An error by which drafts 13 to 15 say that it is pending, or a credential with a notification_id, which the
      // client library rejects when it was deferred.
      if (!(error instanceof Openid4vciRetrieveCredentialsError)) throw error;
      const body = parsed(await error.response.response.clone().text()) as Answer | undefined;
      if (body?.error === 'issuance_pending') return { ...body, transaction_id: transactionId };
      if (body?.credentials === undefined) throw error;
      return body;
    }
  }

  /** Verifies the credential, keeps it, and tells the issuer; a refused one is told to the issuer too. */
  async take({ configuration, key, answer }: Asked): Promise<ReceivedCredential> {
    const { id: configurationId, format, title, types } = configuration;
    const { credential_issuer: credentialIssuer } = this.issuerMetadata.credentialIssuer;
    const { notification_id: notificationId } = answer;
    const { roots } = this.at;
    const received = await this.at.step('verified', async () => {
      const credential = credentialIn(answer);
      const verified = await verifyCredential(credential, { format, types, credentialIssuer, key, roots }).catch(
        async (error: unknown) => {
          // The refusal is what counts; a failed notification of the issuer does not change it.
          await this.notify(notificationId, 'credential_failure').catch(() => undefined);
          throw error;
        },
      );
      const kept = { id: randomUUID(), format, title, configurationId, credentialIssuer, keyId: key?.id ?? null };
      const detail = `signature of the issuer, times, type${key ? ', bound to our key' : ''}`;
      return [{ ...kept, credential, ...verified, receivedAt: new Date().toISOString() }, detail];
    });
    await this.at.file.add(received);
    await this.notify(notificationId, 'credential_accepted');
    return received;
  }

  private async notify(notificationId: string | undefined, event: 'credential_accepted' | 'credential_failure') {
    if (notificationId === undefined) return;
    await this.at.step('notification', async () => {
      await this.client().sendNotification({ ...this.access, notification: { notificationId, event } });
      return [undefined, event];
    });
  }

  /** Whether the metadata speaks OpenID4VCI 1.0 (or draft 15) rather than draft 13 or 14. */
  private get speaksFinal(): boolean {
    const { originalDraftVersion: version } = this.issuerMetadata;
    return version === Openid4vciVersion.V1 || version === Openid4vciVersion.Draft15;
  }

  private get access() {
    const { issuerMetadata, token } = this;
    return { issuerMetadata, accessToken: token.response.access_token, ...(token.bound && { dpop: token.bound.dpop }) };
  }

  /** Proves the key of a bound token. Credentials by authorization code are encrypted where the issuer can, others where it must. */
  private client(identifier?: string) {
    const { issuerMetadata, token } = this;
    return issuanceClient(token.bound?.key, credentialFetch(issuerMetadata, identifier, token.clientId !== undefined));
  }
}

/** The credentials of the configuration that the token names, `undefined` for the one that its server has not named. */
function identifiersOf({ id }: Configuration, { response }: Token): readonly (string | undefined)[] {
  const named = (response.authorization_details ?? []).filter(
    (one) => one.type === 'openid_credential' && one['credential_configuration_id'] === id,
  );
  const identifiers = named.flatMap((one) => one['credential_identifiers'] as readonly string[]);
  return identifiers.length > 0 ? identifiers : [undefined];
}

/** 1.0 §8.3: `credentials` is a list of objects; in draft 13 the answer is such an object itself. */
function credentialIn(answer: Answer): string {
  const [first] = (answer.credentials ?? [answer]) as readonly Pick<Answer, 'credential'>[];
  if (typeof first?.credential === 'string') return first.credential;
  throw new WalletFailure('The credential response contains no credential string.');
}

function answerText({ id, format }: Configuration, answer: Answer): string {
  if (answer.transaction_id !== undefined) return `the issuer does not have the data of ${id} yet`;
  return `${format}, ${credentialIn(answer).length} characters`;
}

/** As people call the version that the metadata is written in. */
function versionOf({ originalDraftVersion: version }: IssuerMetadataResult): string {
  if (version === Openid4vciVersion.V1) return '1.0';
  // Drafts 13 and 14 look alike to the client library.
  return version === Openid4vciVersion.Draft14 ? 'draft 13/14' : version.replace('Draft', 'draft ');
}

/** Drafts 13 to 15 append the well-known path to the issuer's; a draft 13 wallet never asks at the inserted one. */
const hidingFinalMetadata: Fetch = async (input, init) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const isFinal = pathname.startsWith('/.well-known/openid-credential-issuer/');
  return isFinal ? Response.json({}, { status: 404 }) : fetchInTime(input, init);
};
