import { randomUUID, type X509Certificate } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Browser } from './authorization';
import { readConfiguration, type Configuration } from './configuration';
import { explain, WalletFailure } from './failure';
import type { Algorithm, Binding, HolderKey } from './holder-key';
import { fetchJson, type Draft } from './issuance-client';
import { verifyRequest, type PresentationRequest } from './presentation-request';
import { sendAnswer, sendError } from './presentation-response';
import { askedText, findAsked, prepareAnswer, type PresentedCredential, type PresentOptions } from './presenting';
import { Reception, type Deferred, type Issued } from './reception';
import { readRequest } from './request-link';
import { verifyCredential } from './verified-credential';
import { WalletFile, type ReceivedCredential } from './wallet-file';

export interface WalletOptions {
  /** Path of the wallet file, default `./wallet.json`; created on first use. */
  readonly file?: string;
  /** Called after every step that succeeded, e.g. ('token', 'Bearer token for 300 s'). */
  readonly onStep?: (name: string, detail: string) => void;
  /** Whom to trust when a verifier signs by a certificate (OpenID4VP x509_hash, x509_san_dns); default: nobody. */
  readonly roots?: readonly X509Certificate[];
  /** Waits before the issuer is asked again. */
  readonly pause?: (seconds: number) => Promise<void>;
}

export interface ReceiveOptions {
  readonly txCode?: string;
  /** Asked when the offer requires a transaction code and `txCode` is absent. */
  readonly askTxCode?: (hint: string) => Promise<string>;
  /** Default: the first of ES256 and EdDSA that the issuer accepts. */
  readonly key?: Algorithm;
  /** Default: the first of jwk, did:jwk and did:key that the issuer accepts. */
  readonly binding?: Binding;
  readonly draft?: Draft;
  /** Where the person decides, for offers by authorization code. */
  readonly browser?: Browser;
  /** Keeps asking for credentials whose data the issuer does not have yet. */
  readonly wait?: boolean;
}

interface Proven {
  readonly key: HolderKey | null;
  readonly proof?: string;
}

/** What the issuer answered to the request of one credential. */
interface Asked {
  readonly configuration: Configuration;
  readonly key: HolderKey | null;
  readonly answer: Issued | Deferred;
}

/** The outcome of a presentation that the verifier accepted. */
export interface Presented {
  /** The complete client identifier of the verifier. */
  readonly verifier: string;
  readonly protocol: string;
  readonly credentials: readonly PresentedCredential[];
  /** Whether a self-issued ID token went along. */
  readonly idToken: boolean;
  /** Where the person goes on, when the verifier says so. */
  readonly redirectUri: string | null;
}

/** A holder: receives credentials, verifies them, keeps them in a file and presents them to verifiers. */
export class Wallet {
  private readonly file: WalletFile;
  private readonly onStep: (name: string, detail: string) => void;
  private readonly pause: (seconds: number) => Promise<void>;
  private readonly roots: readonly X509Certificate[];

  constructor(options: WalletOptions = {}) {
    this.file = new WalletFile(options.file ?? './wallet.json');
    this.onStep = options.onStep ?? (() => undefined);
    this.roots = options.roots ?? [];
    this.pause = options.pause ?? ((seconds) => setTimeout(seconds * 1000));
  }

  credentials(): Promise<readonly ReceivedCredential[]> {
    return this.file.credentials();
  }

  /**
   * Redeems a credential offer link and returns the verified and stored credentials, one per offered configuration,
   * or all that the issuer names of it.
   * Throws a WalletFailure whose sentence begins with the step that failed.
   */
  async receive(offerLink: string, options: ReceiveOptions = {}): Promise<ReceivedCredential[]> {
    const offer = await this.step('offer', async () => {
      const read = await Reception.readOffer(offerLink, options.draft);
      return [read, `${read.credential_configuration_ids.join(', ')} from ${read.credential_issuer}`];
    });
    const reception = await this.step('metadata', async () => {
      const opened = await Reception.open(offer, options.draft);
      return [opened, `issuer and authorization server, OpenID4VCI ${opened.version}`];
    });
    const configurations = offer.credential_configuration_ids.map((id) => readConfiguration(reception.metadata, id));
    await this.step('token', async () => [undefined, await this.tokenFor(reception, options)]);
    const received: ReceivedCredential[] = [];
    const awaited: (Asked & { readonly deferred: Deferred })[] = [];
    const wanted = configurations.flatMap((configuration) =>
      reception.identifiersOf(configuration).map((identifier) => ({ configuration, identifier })),
    );
    for (const { configuration, identifier } of wanted) {
      const asked = await this.ask(reception, configuration, identifier, options);
      if ('transactionId' in asked.answer) awaited.push({ ...asked, deferred: asked.answer });
      else received.push(await this.take(reception, asked, asked.answer));
    }
    for (const asked of awaited) {
      const issued = await this.awaitCredential(reception, asked, options);
      received.push(await this.take(reception, asked, issued));
    }
    return received;
  }

  /**
   * Answers an authorization request link (OpenID4VP 1.0, its drafts 18 to 24, SIOPv2) with what it asks for and no
   * more. Throws a WalletFailure whose sentence begins with the step that failed; a verifier that cannot be answered
   * is notified.
   */
  async present(requestLink: string, options: PresentOptions = {}): Promise<Presented> {
    const request = await this.step('request', async () => {
      const verified = await verifyRequest(await readRequest(requestLink), this.roots);
      return [verified, `${verified.protocol} from ${verified.clientId}, ${verified.sender}`];
    });
    const { answer, presented } = await this.answer(request, options).catch(async (error: unknown) => {
      // The reason stays with the person: a verifier learns only that there is no answer.
      await sendError(request, 'access_denied', 'The wallet does not answer.').catch(() => undefined);
      throw error;
    });
    const redirectUri = await this.step('response', async () => {
      const next = await sendAnswer(request, answer);
      return [next, `accepted at ${request.responseUri}${next === null ? '' : `, go on at ${next}`}`];
    });
    const { clientId: verifier, protocol, wantsIdToken: idToken } = request;
    return { verifier, protocol, credentials: presented, idToken, redirectUri };
  }

  private async tokenFor(reception: Reception, options: ReceiveOptions): Promise<string> {
    if (!reception.needsBrowser) return reception.redeem(await txCodeFor(reception, options));
    if (!options.browser) {
      throw new WalletFailure('The issuer wants the person to decide in a browser, and none was given.');
    }
    return reception.authorize(options.browser, (page) => {
      this.onStep('pushed', `the person decides at ${new URL(page).origin}`);
    });
  }

  private async answer(request: PresentationRequest, options: PresentOptions) {
    const asked = await this.step('asked', async () => {
      const found = findAsked(request, await this.file.credentials());
      return [found, [...found.map(askedText), ...(request.wantsIdToken ? ['an ID token'] : [])].join('; ')];
    });
    return this.step('disclosed', async () => {
      const prepared = await prepareAnswer(request, asked, this.file, options);
      const texts = prepared.presented.map(({ title, disclosed, confirmed }) => {
        const confirms = confirmed.map((transaction) => `, confirms ${transaction}`);
        return `${title} (${disclosed.join(', ') || 'no claims'})${confirms.join('')}`;
      });
      return [prepared, [...texts, ...(request.wantsIdToken ? ['our public key'] : [])].join('; ')];
    });
  }

  private async ask(
    reception: Reception,
    configuration: Configuration,
    identifier: string | undefined,
    options: ReceiveOptions,
  ): Promise<Asked> {
    const { key, proof } = await this.step<Proven>('proof', async () => {
      const choice = chooseBinding(configuration, options);
      if (!choice) return [{ key: null }, 'none needed'];
      const chosen = await this.file.keyFor(choice.algorithm);
      const jwt = await reception.prove(configuration, chosen, choice.method);
      return [{ key: chosen, proof: jwt }, `${choice.algorithm} key named by ${choice.method}`];
    });
    const answer = await this.step('credential', async () => {
      const given = await reception.request(configuration, identifier, proof);
      return [given, 'transactionId' in given ? notYet(configuration) : described(configuration, given)];
    });
    return { configuration, key, answer };
  }

  /** Asks until the issuer has the data, however long that takes. */
  private async awaitCredential(
    reception: Reception,
    { configuration, deferred }: Asked & { readonly deferred: Deferred },
    { wait = false }: ReceiveOptions,
  ): Promise<Issued> {
    if (!wait) {
      const hint = 'An offer received with --wait waits for it; this one works again when the issuer reopens it.';
      throw new WalletFailure(`credential: ${notYet(configuration)}. ${hint}`);
    }
    let answer: Issued | Deferred = deferred;
    while ('transactionId' in answer) {
      const { transactionId, interval }: Deferred = answer;
      this.onStep('waiting', `${configuration.id}: asking again in ${interval} s`);
      await this.pause(interval);
      answer = await this.step('deferred', async () => {
        const given = await reception.collect(transactionId);
        return [given, 'transactionId' in given ? notYet(configuration) : described(configuration, given)];
      });
    }
    return answer;
  }

  private async take(reception: Reception, { configuration, key }: Asked, issued: Issued): Promise<ReceivedCredential> {
    const received = await this.step('verified', () => this.verify(reception, configuration, issued, key));
    await this.file.add(received);
    await this.notify(reception, issued, 'credential_accepted');
    return received;
  }

  private async verify(
    reception: Reception,
    configuration: Configuration,
    issued: Issued,
    key: HolderKey | null,
  ): Promise<[ReceivedCredential, string]> {
    const { id: configurationId, format, title, types } = configuration;
    const { credentialIssuer } = reception;
    const verified = await verifyCredential(
      issued.credential,
      { format, types, credentialIssuer, key },
      fetchJson,
    ).catch(async (error: unknown) => {
      // The refusal is what counts; a failed notification of the issuer does not change it.
      await this.notify(reception, issued, 'credential_failure').catch(() => undefined);
      throw error;
    });
    const kept = { id: randomUUID(), format, title, configurationId, credentialIssuer, keyId: key?.id ?? null };
    const { credential } = issued;
    return [
      { ...kept, credential, ...verified, receivedAt: new Date().toISOString() },
      `signature of the issuer, times, type${key ? ', bound to our key' : ''}`,
    ];
  }

  private async notify(reception: Reception, issued: Issued, event: 'credential_accepted' | 'credential_failure') {
    const { notificationId } = issued;
    if (notificationId === undefined) return;
    await this.step('notification', async () => {
      await reception.notify(notificationId, event);
      return [undefined, event];
    });
  }

  /** Runs one step: reports it when it succeeds, and turns any failure into a sentence that begins with its name. */
  private async step<T>(name: string, work: () => Promise<[result: T, detail: string]>): Promise<T> {
    const [result, detail] = await work().catch(async (error: unknown) => {
      throw new WalletFailure(`${name}: ${await explain(error)}`, { cause: error });
    });
    this.onStep(name, detail);
    return result;
  }
}

function notYet({ id }: Configuration): string {
  return `the issuer does not have the data of ${id} yet`;
}

function described({ format }: Configuration, { credential }: Issued): string {
  return `${format}, ${credential.length} characters`;
}

async function txCodeFor(reception: Reception, options: ReceiveOptions): Promise<string | undefined> {
  const required = reception.txCode;
  if (options.txCode !== undefined || !required) return options.txCode;
  const length = required.length === undefined ? '' : ` of ${required.length} characters`;
  const hint = `transaction code${length}${required.description ? ` (${required.description})` : ''}`;
  if (!options.askTxCode) throw new WalletFailure(`The issuer requires a ${hint}; give it with --tx-code.`);
  return options.askTxCode(hint);
}

function chooseBinding(
  { id, binding }: Configuration,
  options: ReceiveOptions,
): { algorithm: Algorithm; method: Binding } | null {
  if (!binding) return null;
  const algorithm = options.key ?? binding.algorithms[0];
  const method = options.binding ?? binding.methods[0];
  if (!algorithm || !method) throw new WalletFailure(`${id} accepts no key or binding that this wallet has.`);
  return { algorithm, method };
}
