import { randomUUID, type X509Certificate } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Configuration, readConfiguration } from './configuration';
import { verifyCredential } from './credential';
import { explain, WalletFailure } from './failure';
import { type Browser, type Deferred, Issuance, type Issued } from './issuance';
import type { Algorithm, Binding, HolderKey } from './keys';
import { askedText, findAsked, prepareAnswer, type PresentedCredential, type PresentOptions } from './presentation';
import { PresentationRequest } from './request';
import { type ReceivedCredential, WalletFile } from './wallet-file';

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
  readonly draft?: '13';
  /** Where the person decides, for offers by authorization code. */
  readonly browser?: Browser;
  /** Keeps asking for credentials whose data the issuer does not have yet. */
  readonly wait?: boolean;
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
  /** Where the person goes on, when the verifier says so. */
  readonly redirectUri: string | null;
}

/** A holder: receives credentials, verifies them, keeps them in a file and presents them to verifiers. */
export class Wallet {
  private readonly file: WalletFile;
  private readonly onStep: (name: string, detail: string) => void;
  private readonly pause: (seconds: number) => Promise<void>;

  constructor(private readonly options: WalletOptions = {}) {
    this.file = new WalletFile(options.file ?? './wallet.json');
    this.onStep = options.onStep ?? (() => undefined);
    this.pause = options.pause ?? ((seconds) => setTimeout(seconds * 1000));
  }

  credentials(): Promise<readonly ReceivedCredential[]> {
    return this.file.credentials();
  }

  /**
   * Redeems a credential offer link and returns the verified and stored credentials, one per offered configuration,
   * or all that the issuer names of it. Throws a WalletFailure whose sentence begins with the step that failed.
   */
  async receive(offerLink: string, options: ReceiveOptions = {}): Promise<ReceivedCredential[]> {
    const offer = await this.step('offer', async () => {
      const read = await Issuance.readOffer(offerLink);
      return [read, `${read.credential_configuration_ids.join(', ')} from ${read.credential_issuer}`];
    });
    const issuance = await this.step('metadata', async () => {
      const opened = await Issuance.open(offer, options.draft === '13');
      return [opened, `issuer and authorization server, OpenID4VCI ${opened.version}`];
    });
    const configurations = offer.credential_configuration_ids.map((id) => readConfiguration(issuance.metadata, id));
    await this.step('token', async () => [undefined, await this.tokenFor(issuance, options)]);
    const received: ReceivedCredential[] = [];
    const awaited: Asked[] = [];
    const take = async (asked: Asked, issued: Issued) => received.push(await this.take(issuance, asked, issued));
    for (const configuration of configurations) {
      for (const identifier of issuance.identifiersOf(configuration)) {
        const asked = await this.ask(issuance, configuration, identifier, options);
        if ('transactionId' in asked.answer) awaited.push(asked);
        else await take(asked, asked.answer);
      }
    }
    for (const asked of awaited) await take(asked, await this.awaitCredential(issuance, asked, options));
    return received;
  }

  /**
   * Answers an authorization request link with what its DCQL query asks for (OpenID4VP 1.0, and drafts with DCQL) and no more.
   * Throws a WalletFailure whose sentence begins with the step that failed; a verifier that cannot be answered is notified.
   */
  async present(requestLink: string, options: PresentOptions = {}): Promise<Presented> {
    const request = await this.step('request', async () => {
      const read = await PresentationRequest.read(requestLink, this.options.roots ?? []);
      return [read, `${read.protocol} from ${read.clientId}, ${read.sender}`];
    });
    const { presentations, presented } = await this.prepare(request, options).catch(async (error: unknown) => {
      await request.decline().catch(() => undefined);
      throw error;
    });
    const redirectUri = await this.step('response', async () => {
      const next = await request.answer(presentations);
      return [next, `accepted at ${request.responseUri}${next === null ? '' : `, go on at ${next}`}`];
    });
    return { verifier: request.clientId, protocol: request.protocol, credentials: presented, redirectUri };
  }

  private async prepare(request: PresentationRequest, options: PresentOptions) {
    const asked = await this.step('asked', async () => {
      const found = await findAsked(request.dcqlQuery, await this.file.credentials());
      return [found, found.map(askedText).join('; ')];
    });
    return this.step('disclosed', async () => {
      const prepared = await prepareAnswer(request, asked, this.file, options);
      const texts = prepared.presented.map(({ title, disclosed, confirmed }) => {
        const confirms = confirmed.map((transaction) => `, confirms ${transaction}`);
        return `${title} (${disclosed.join(', ') || 'no claims'})${confirms.join('')}`;
      });
      return [prepared, texts.join('; ')];
    });
  }

  private async tokenFor(issuance: Issuance, { txCode, askTxCode, browser }: ReceiveOptions): Promise<string> {
    if (issuance.needsBrowser) {
      if (!browser) throw new WalletFailure('The issuer wants the person to decide in a browser, and none was given.');
      return issuance.authorize(browser, (page) => {
        this.onStep('pushed', `the person decides at ${new URL(page).origin}`);
      });
    }
    const { txCode: required } = issuance;
    if (txCode !== undefined || !required) return issuance.redeem(txCode);
    const length = required.length === undefined ? '' : ` of ${required.length} characters`;
    const hint = `transaction code${length}${required.description ? ` (${required.description})` : ''}`;
    if (!askTxCode) throw new WalletFailure(`The issuer requires a ${hint}; give it with --tx-code.`);
    return issuance.redeem(await askTxCode(hint));
  }

  private async ask(
    issuance: Issuance,
    configuration: Configuration,
    identifier: string | undefined,
    options: ReceiveOptions,
  ): Promise<Asked> {
    const { id, binding } = configuration;
    const proven = await this.step<{ key: HolderKey; jwt: string } | null>('proof', async () => {
      if (!binding) return [null, 'none needed'];
      const { key: algorithm = binding.algorithms[0], binding: method = binding.methods[0] } = options;
      if (!algorithm || !method) throw new WalletFailure(`${id} accepts no key or binding that this wallet has.`);
      const key = await this.file.keyFor(algorithm);
      const jwt = await issuance.prove(configuration, key, method);
      return [{ key, jwt }, `${algorithm} key named by ${method}`];
    });
    const answer = await this.step('credential', async () => {
      const given = await issuance.request(configuration, identifier, proven?.jwt);
      return [given, answerText(configuration, given)];
    });
    return { configuration, key: proven?.key ?? null, answer };
  }

  /** Asks until the issuer has the data, however long that takes. */
  private async awaitCredential(issuance: Issuance, asked: Asked, { wait = false }: ReceiveOptions): Promise<Issued> {
    let { answer } = asked;
    const { configuration } = asked;
    if (!wait) {
      const hint = 'An offer received with --wait waits for it; this one works again when the issuer reopens it.';
      throw new WalletFailure(`credential: ${answerText(configuration, answer)}. ${hint}`);
    }
    while ('transactionId' in answer) {
      const { transactionId, interval }: Deferred = answer;
      this.onStep('waiting', `${configuration.id}: asking again in ${interval} s`);
      await this.pause(interval);
      answer = await this.step('deferred', async () => {
        const given = await issuance.collect(transactionId);
        return [given, answerText(configuration, given)];
      });
    }
    return answer;
  }

  /** Verifies the credential, keeps it, and tells the issuer; a refused one is told to the issuer too. */
  private async take(issuance: Issuance, { configuration, key }: Asked, issued: Issued): Promise<ReceivedCredential> {
    const { id: configurationId, format, title, types } = configuration;
    const { credential, notificationId } = issued;
    const credentialIssuer = issuance.offer.credential_issuer;
    const notify = async (event: 'credential_accepted' | 'credential_failure') => {
      if (notificationId === undefined) return;
      await this.step('notification', async () => {
        await issuance.notify(notificationId, event);
        return [undefined, event];
      });
    };
    const received = await this.step('verified', async () => {
      const verified = await verifyCredential(credential, { format, types, credentialIssuer, key }).catch(
        async (error: unknown) => {
          // The refusal is what counts; a failed notification of the issuer does not change it.
          await notify('credential_failure').catch(() => undefined);
          throw error;
        },
      );
      const kept = { id: randomUUID(), format, title, configurationId, credentialIssuer, keyId: key?.id ?? null };
      const detail = `signature of the issuer, times, type${key ? ', bound to our key' : ''}`;
      return [{ ...kept, credential, ...verified, receivedAt: new Date().toISOString() }, detail];
    });
    await this.file.add(received);
    await notify('credential_accepted');
    return received;
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

function answerText({ id, format }: Configuration, answer: Issued | Deferred): string {
  if ('transactionId' in answer) return `the issuer does not have the data of ${id} yet`;
  return `${format}, ${answer.credential.length} characters`;
}
