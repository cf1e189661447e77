import { isSignedBy, parsePublicJwk, type PublicJwk } from '@app/primitives/jose';
import { createPublicKey, hash, type JsonWebKey, randomBytes, X509Certificate } from 'node:crypto';
import type { SigningAlgorithm } from '../signing-key';
import { type Attribute, CK, type Cryptoki, type Handle, returnValueOf } from './cryptoki';
import { type ProviderKey, SignerError, type SignerFault } from './provider';

/** Bytes; a module that answers with another number than 64 shall be able to. */
const longestSignature = 256;
const kinds = {
  ES256: {
    curve: '06082a8648ce3d030107',
    keyType: CK.CKK_EC,
    making: CK.CKM_EC_KEY_PAIR_GEN,
    signing: CK.CKM_ECDSA,
  },
  EdDSA: {
    curve: '06032b6570',
    keyType: CK.CKK_EC_EDWARDS,
    making: CK.CKM_EC_EDWARDS_KEY_PAIR_GEN,
    signing: CK.CKM_EDDSA,
  },
} as const;

/** What the operator has to change before the token can be used. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';

  /** @param setting `PIN_FILE` */
  constructor(
    readonly code: string,
    readonly setting: string,
    readonly found: string,
    readonly remedy: string,
  ) {
    super(code);
  }
}

/** One login at a token, with its sessions. All methods throw errors of the module, and `SignerError` for what is wrong with a key. */
export class Token {
  private readonly idle: Handle[] = [];
  /** That have signed as they have to since the login: by their references and public keys. */
  private readonly privateKeys = new Map<string, Handle>();
  private isOpen = true;

  private constructor(
    private readonly provider: string,
    private readonly cryptoki: Cryptoki,
    private readonly slot: Handle,
    /** Nobody is logged in any more when the last session ends: this one stays. It finds objects, and never signs. */
    private readonly session: Handle,
  ) {}

  /** Finds the token and logs in, with one attempt. Throws `TokenRefusal` besides. @param serial any when empty */
  static open(provider: string, cryptoki: Cryptoki, label: string, serial: string, pin: string): Token {
    initialise(cryptoki);
    const slot = slotOf(cryptoki, label, serial);
    const session = cryptoki.C_OpenSession(slot, CK.CKF_SERIAL_SESSION);
    try {
      logIn(cryptoki, slot, session, pin);
    } catch (error) {
      quietly(() => {
        cryptoki.C_CloseSession(session);
      });
      throw error;
    }
    return new Token(provider, cryptoki, slot, session);
  }

  isLoggedIn(): boolean {
    try {
      const { state } = this.cryptoki.C_GetSessionInfo(this.session);
      return state === CK.CKS_RO_USER_FUNCTIONS || state === CK.CKS_RW_USER_FUNCTIONS;
    } catch {
      return false;
    }
  }

  /** Looks for private keys anew. */
  forget(): void {
    this.privateKeys.clear();
  }

  /** @param reference the CKA_ID in hexadecimal */
  find(reference: string): ProviderKey {
    const id = Buffer.from(reference, 'hex');
    if (id.length === 0 || id.length * 2 !== reference.length) throw this.fault('missing', 'CKA_ID is hexadecimal');
    const privateKey = this.privateKeyOf(id.toString('hex'));
    // A key that can leave the device is no better there.
    for (const [type, wanted, code] of [
      [CK.CKA_EXTRACTABLE, 0, 'CKA_EXTRACTABLE'],
      [CK.CKA_SENSITIVE, 1, 'CKA_SENSITIVE'],
    ] as const) {
      if (this.attribute(privateKey, type)?.[0] !== wanted) throw this.fault('denied', code);
    }
    const publicJwk = this.publicJwkOf(id, privateKey);
    const algorithm = publicJwk.crv === 'Ed25519' ? 'EdDSA' : 'ES256';
    return { algorithm, publicJwk, reference: id.toString('hex') };
  }

  /** Makes a key pair, which only this token has. */
  async generate(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    const { curve, keyType, making } = kinds[algorithm];
    const id = randomBytes(16);
    const both: Attribute[] = [
      { type: CK.CKA_KEY_TYPE, value: keyType },
      { type: CK.CKA_TOKEN, value: true },
      { type: CK.CKA_ID, value: id },
      { type: CK.CKA_LABEL, value: label },
    ];
    const publicTemplate: Attribute[] = [
      { type: CK.CKA_CLASS, value: CK.CKO_PUBLIC_KEY },
      ...both,
      { type: CK.CKA_VERIFY, value: true },
      { type: CK.CKA_EC_PARAMS, value: Buffer.from(curve, 'hex') },
    ];
    const privateTemplate: Attribute[] = [
      { type: CK.CKA_CLASS, value: CK.CKO_PRIVATE_KEY },
      ...both,
      { type: CK.CKA_SIGN, value: true },
    ];
    const guarded: Attribute[] = [
      { type: CK.CKA_PRIVATE, value: true },
      { type: CK.CKA_SENSITIVE, value: true },
      { type: CK.CKA_EXTRACTABLE, value: false },
    ];
    const session = this.cryptoki.C_OpenSession(this.slot, CK.CKF_SERIAL_SESSION | CK.CKF_RW_SESSION);
    const make = (more: readonly Attribute[]) =>
      this.cryptoki.C_GenerateKeyPairAsync(session, { mechanism: making }, publicTemplate, [
        ...privateTemplate,
        ...more,
      ]);
    try {
      const made = await make(guarded).catch((error: unknown) => {
        // Some modules allow nothing but what they do anyway. What they did is looked at below.
        if (/^CKR_(TEMPLATE|ATTRIBUTE)_/.test(returnValueOf(error) ?? '')) return make([]);
        throw error;
      });
      try {
        const key = this.find(id.toString('hex'));
        if (key.algorithm === algorithm) return key;
        throw this.fault('garbage', 'CKA_EC_PARAMS');
      } catch (error) {
        for (const object of [made.privateKey, made.publicKey]) {
          quietly(() => {
            this.cryptoki.C_DestroyObject(session, object);
          });
        }
        throw error;
      }
    } finally {
      quietly(() => {
        this.cryptoki.C_CloseSession(session);
      });
    }
  }

  async sign({ algorithm, reference, publicJwk }: ProviderKey, data: Buffer): Promise<Buffer> {
    // Few modules hash by themselves.
    const input = algorithm === 'ES256' ? hash('sha256', data, 'buffer') : data;
    const name = `${reference} ${publicJwk.x}`;
    const known = this.privateKeys.get(name);
    const key = known ?? this.privateKeyOf(reference);
    const session = this.idle.pop() ?? this.cryptoki.C_OpenSession(this.slot, CK.CKF_SERIAL_SESSION);
    try {
      this.cryptoki.C_SignInit(session, { mechanism: kinds[algorithm].signing }, key);
      const signature = await this.cryptoki.C_SignAsync(session, input, Buffer.alloc(longestSignature));
      // The input is read by another thread, and held by nothing but its mention here.
      if (signature.length !== 64) throw this.fault('garbage', `${signature.length} bytes for ${input.length}`);
      if (!known) {
        // Another token may be back under the name of the one that was taken out, with a key of the same CKA_ID.
        if (!isSignedBy(publicJwk, algorithm, data, signature))
          throw this.fault('garbage', 'another key has this CKA_ID');
        this.privateKeys.set(name, key);
      }
      if (this.isOpen) this.idle.push(session);
      else this.cryptoki.C_CloseSession(session);
      return Buffer.from(signature);
    } catch (error) {
      // What failed may still be under way in it.
      quietly(() => {
        this.cryptoki.C_CloseSession(session);
      });
      throw error;
    }
  }

  /** Sessions that sign end afterwards. */
  close(): void {
    this.isOpen = false;
    for (const session of [...this.idle.splice(0), this.session]) {
      quietly(() => {
        this.cryptoki.C_CloseSession(session);
      });
    }
  }

  private privateKeyOf(reference: string): Handle {
    const [found, other] = this.objects(CK.CKO_PRIVATE_KEY, Buffer.from(reference, 'hex'));
    if (!found) throw this.fault('missing', 'CKO_PRIVATE_KEY');
    if (other) throw this.fault('denied', 'several keys have this CKA_ID');
    return found;
  }

  /** By the public key, by what the private one tells, or by a certificate. */
  private publicJwkOf(id: Buffer, privateKey: Handle): PublicJwk {
    for (const key of [...this.objects(CK.CKO_PUBLIC_KEY, id), privateKey]) {
      const point = this.attribute(key, CK.CKA_EC_POINT);
      if (!point) continue;
      const jwk = jwkOf(() => createPublicKey({ key: pointAsJwk(point), format: 'jwk' }).export({ format: 'jwk' }));
      if (jwk) return jwk;
      throw this.fault('denied', 'its curve is neither P-256 nor Ed25519');
    }
    for (const certificate of this.objects(CK.CKO_CERTIFICATE, id)) {
      const value = this.attribute(certificate, CK.CKA_VALUE) ?? Buffer.alloc(0);
      const jwk = jwkOf(() => new X509Certificate(value).publicKey.export({ format: 'jwk' }));
      if (jwk) return jwk;
    }
    throw this.fault('missing', 'CKO_PUBLIC_KEY');
  }

  private objects(kind: number, id: Buffer): Handle[] {
    this.cryptoki.C_FindObjectsInit(this.session, [
      { type: CK.CKA_CLASS, value: kind },
      { type: CK.CKA_ID, value: id },
    ]);
    try {
      return this.cryptoki.C_FindObjects(this.session, 2);
    } finally {
      this.cryptoki.C_FindObjectsFinal(this.session);
    }
  }

  /** `undefined` when the object has none, or does not tell. */
  private attribute(object: Handle, type: number): Buffer | undefined {
    try {
      return this.cryptoki.C_GetAttributeValue(this.session, object, [{ type }])[0]?.value;
    } catch (error) {
      if (/^CKR_ATTRIBUTE_(TYPE_INVALID|SENSITIVE)$/.test(returnValueOf(error) ?? '')) return undefined;
      throw error;
    }
  }

  private fault(fault: SignerFault, code: string): SignerError {
    return new SignerError(this.provider, fault, undefined, code);
  }
}

function initialise(cryptoki: Cryptoki): void {
  try {
    cryptoki.C_Initialize({ flags: CK.CKF_OS_LOCKING_OK });
  } catch (error) {
    if (returnValueOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error;
  }
}

/** By what is written on the token: slots get other numbers when one is added. */
function slotOf(cryptoki: Cryptoki, label: string, serial: string): Handle {
  const [slot, other] = cryptoki.C_GetSlotList(true).filter((each) => {
    try {
      const token = cryptoki.C_GetTokenInfo(each);
      return token.label.trim() === label && (serial === '' || token.serialNumber.trim() === serial);
    } catch {
      // Another token that was just taken out.
      return false;
    }
  });
  if (!slot) throw new Error('CKR_TOKEN_NOT_PRESENT');
  if (!other) return slot;
  const remedy = 'give the serial number of the one that is meant';
  throw new TokenRefusal('several tokens', 'TOKEN_SERIAL', 'several tokens with the label', remedy);
}

function logIn(cryptoki: Cryptoki, slot: Handle, session: Handle, pin: string): void {
  const { flags } = cryptoki.C_GetTokenInfo(slot);
  if (flags & CK.CKF_USER_PIN_LOCKED) {
    const remedy = 'unlock it as the security officer of the token';
    throw new TokenRefusal('CKF_USER_PIN_LOCKED', 'PIN_FILE', 'a token whose PIN is locked', remedy);
  }
  if (flags & CK.CKF_USER_PIN_FINAL_TRY) {
    const remedy = 'correct the file, and log in by another program first: the service does not use the last try';
    throw new TokenRefusal('CKF_USER_PIN_FINAL_TRY', 'PIN_FILE', 'a token that the next wrong PIN locks', remedy);
  }
  try {
    cryptoki.C_Login(session, CK.CKU_USER, pin);
  } catch (error) {
    const code = returnValueOf(error) ?? '';
    if (code === 'CKR_USER_ALREADY_LOGGED_IN') return;
    if (!/^CKR_(USER_)?PIN_/.test(code)) throw error;
    const remedy = 'write the PIN of the user into the file, and start again: it was tried once';
    throw new TokenRefusal(code, 'PIN_FILE', `a PIN that the token does not take (${code})`, remedy);
  }
}

/** An OCTET STRING around the point, as the standard has it, or the point alone. Told by its length: the first byte of x may be any. */
function pointAsJwk(written: Buffer): JsonWebKey {
  const isWrapped = written.length === 67 || written.length === 34;
  const point = isWrapped ? written.subarray(2) : written;
  const text = (start: number, end?: number): string => point.subarray(start, end).toString('base64url');
  if (point.length === 32) return { kty: 'OKP', crv: 'Ed25519', x: text(0) };
  return { kty: 'EC', crv: 'P-256', x: text(1, 33), y: text(33) };
}

/** `undefined` when it is no key that signs with one of our algorithms. */
function jwkOf(read: () => JsonWebKey): PublicJwk | undefined {
  try {
    const jwk = parsePublicJwk(read());
    return jwk.crv === 'P-384' ? undefined : jwk;
  } catch {
    return undefined;
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It ended already, or its device is gone.
  }
}
