import { SettingsError, type SignerProviderSettings } from '@app/config';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { SigningAlgorithm } from '../signing-key';
import { type Cryptoki, loadCryptoki, returnValueOf } from './cryptoki';
import { Lanes } from './lanes';
import { type KeyProvider, type ProviderCalls, type ProviderKey, SignerError, type SignerFault } from './provider';
import { Token, TokenRefusal } from './token';

type Pkcs11Settings = Extract<SignerProviderSettings, { readonly type: 'pkcs11' }>;

/** Seconds between two attempts to reach a token that is gone, at most. */
const longestPause = 30;
/** Milliseconds; small devices think about a new key for a while. */
const patienceForKey = 60_000;
/** Milliseconds for what is under way at the end. */
const patienceForEnd = 5_000;

/** The login, and with it every session, is worth nothing any more. */
const gone = new Set([
  'CKR_CRYPTOKI_NOT_INITIALIZED',
  'CKR_DEVICE_ERROR',
  'CKR_DEVICE_REMOVED',
  'CKR_SESSION_CLOSED',
  'CKR_SESSION_HANDLE_INVALID',
  'CKR_SLOT_ID_INVALID',
  'CKR_TOKEN_NOT_PRESENT',
  'CKR_TOKEN_NOT_RECOGNIZED',
]);
/** The key was deleted, or somebody logged out, which takes all private objects away. */
const stale = new Set(['CKR_KEY_HANDLE_INVALID', 'CKR_OBJECT_HANDLE_INVALID', 'CKR_USER_NOT_LOGGED_IN']);
const faults: Readonly<Record<string, SignerFault>> = {
  CKR_DEVICE_MEMORY: 'throttled',
  CKR_FUNCTION_FAILED: 'unreachable',
  CKR_GENERAL_ERROR: 'unreachable',
  CKR_HOST_MEMORY: 'throttled',
  CKR_KEY_HANDLE_INVALID: 'missing',
  CKR_OBJECT_HANDLE_INVALID: 'missing',
  CKR_SESSION_COUNT: 'throttled',
};

/**
 * Opens a PKCS#11 module and logs in. A token that is not there now is waited for. Throws `SettingsError` for what the operator has
 * to change, a wrong PIN included, which is tried once.
 * @param load for tests
 */
export async function openPkcs11(
  name: string,
  settings: Pkcs11Settings,
  load?: () => Promise<Cryptoki>,
): Promise<Required<KeyProvider>> {
  const setting = `SERVICE__SIGNER__${name.toUpperCase()}__`;
  const provider = new Pkcs11Provider(name, settings, await loadCryptoki(settings.library, setting, load));
  try {
    await provider.connect();
  } catch (error) {
    if (!(error instanceof TokenRefusal)) return provider;
    const { found, remedy } = error;
    throw new SettingsError([{ name: setting + error.setting, found, remedy }]);
  }
  return provider;
}

/** Keys of a PKCS#11 token, by their CKA_ID in hexadecimal. Calls other than signing and making keys block the process. */
class Pkcs11Provider implements KeyProvider {
  readonly type = 'pkcs11';
  private readonly lanes: Lanes;
  private token: Token | undefined;
  private connecting: Promise<Token> | undefined;
  /** After which nothing is tried any more. */
  private refusal: SignerError | undefined;
  private failures = 0;
  private pausedUntil = 0;

  constructor(
    readonly name: string,
    private readonly settings: Pkcs11Settings,
    private readonly cryptoki: Cryptoki,
  ) {
    this.lanes = new Lanes(name, settings.concurrency);
  }

  find(reference: string): Promise<ProviderKey> {
    return this.tried((token) => token.find(reference));
  }

  /** Repeated after the token was gone: then it may have a key too many, which nothing names. */
  generate(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    return this.inTurn(patienceForKey, (token) => token.generate(algorithm, label));
  }

  sign(key: ProviderKey, data: Buffer, patience: number): Promise<Buffer> {
    return this.inTurn(patience, (token) => token.sign(key, data));
  }

  get calls(): ProviderCalls {
    return this.lanes.calls;
  }

  async close(): Promise<void> {
    this.refusal = new SignerError(this.name, 'unreachable', undefined, 'it is closed');
    await Promise.race([Promise.allSettled(this.lanes.underWay), delay(patienceForEnd, undefined, { ref: false })]);
    this.lanes.close();
    this.token?.close();
  }

  /** Logs in, unless the last attempt was too recent. Throws `TokenRefusal`, and errors of the module. */
  async connect(): Promise<Token> {
    const left = this.pausedUntil - performance.now();
    if (left > 0) throw new SignerError(this.name, 'unreachable', Math.ceil(left / 1000));
    const { pinFile, tokenLabel, tokenSerial } = this.settings;
    try {
      const pin = await readPin(pinFile);
      this.token = Token.open(this.name, this.cryptoki, tokenLabel, tokenSerial, pin);
      return this.token;
    } catch (error) {
      // Tokens lock after a few wrong PINs.
      if (error instanceof TokenRefusal && /^CK[RF]_.*PIN/.test(error.code)) this.refusal = this.signerError(error);
      this.pause();
      throw error;
    }
  }

  private async connected(): Promise<Token> {
    if (this.refusal) throw this.refusal;
    if (this.token) return this.token;
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  /** All keys have one lane: what hangs is the token. */
  private inTurn<T>(patience: number, work: (token: Token) => Promise<T>): Promise<T> {
    return this.lanes.run('', patience, () => this.tried(work));
  }

  /** Does the work, and repeats it once where a new login or another look at the token may help. */
  private async tried<T>(work: (token: Token) => T | Promise<T>): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      let token: Token | undefined;
      try {
        token = await this.connected();
        const result = await work(token);
        this.failures = 0;
        return result;
      } catch (error) {
        const code = returnValueOf(error) ?? '';
        if (token && (gone.has(code) || (stale.has(code) && !token.isLoggedIn()))) this.lose(token);
        else if (token && stale.has(code)) token.forget();
        else throw this.signerError(error);
        if (!isFirst) throw this.signerError(error);
      }
    }
  }

  /** Others that were using it may have noticed before. */
  private lose(token: Token): void {
    if (this.token !== token) return;
    this.token = undefined;
    token.close();
    this.pause();
  }

  /** After the first failure a new attempt may be made at once. */
  private pause(): void {
    const seconds = this.failures === 0 ? 0 : Math.min(longestPause, 2 ** (this.failures - 1));
    this.failures += 1;
    this.pausedUntil = performance.now() + seconds * 1000;
  }

  private signerError(error: unknown): SignerError {
    if (error instanceof SignerError) return error;
    if (error instanceof TokenRefusal) return new SignerError(this.name, 'denied', undefined, error.code);
    const code = returnValueOf(error);
    const fault = code === undefined || gone.has(code) ? 'unreachable' : (faults[code] ?? 'denied');
    return new SignerError(this.name, fault, undefined, code);
  }
}

async function readPin(path: string): Promise<string> {
  const refusal = (found: string, remedy: string) => new TokenRefusal('no PIN', 'PIN_FILE', found, remedy);
  const written = await readFile(path, 'utf8').catch(() => {
    throw refusal('a file that cannot be read', 'name a file that this process may read');
  });
  const pin = written.replace(/\r?\n$/, '');
  if (pin === '') throw refusal('an empty file', 'write the PIN of the user of the token into it');
  return pin;
}
