import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Attribute, CK, type Cryptoki, type Handle } from '@app/keys/src/signing/providers/cryptoki';
import { emptySoftHsm, softHsmLibrary as library } from './soft-hsm';

/** What tests call besides. */
interface WholeCryptoki extends Cryptoki {
  C_InitToken(slot: Handle, securityOfficerPin: string, label: string): void;
  C_InitPIN(session: Handle, pin: string): void;
  C_SetPIN(session: Handle, old: string, pin: string): void;
  C_Logout(session: Handle): void;
  C_CloseAllSessions(slot: Handle): void;
  C_Finalize(): void;
  C_CreateObject(session: Handle, template: readonly Attribute[]): Handle;
  C_GenerateKeyPair(
    session: Handle,
    mechanism: { readonly mechanism: number },
    publicTemplate: readonly Attribute[],
    privateTemplate: readonly Attribute[],
  ): { readonly publicKey: Handle; readonly privateKey: Handle };
}

/** Members that take the place of those of the module; what they are given first is the module's own. */
export type Replaced = {
  [Name in keyof Cryptoki]?: (own: Cryptoki[Name], ...given: Parameters<Cryptoki[Name]>) => unknown;
};

export interface SoftToken {
  readonly settings: {
    readonly type: 'pkcs11';
    readonly library: string;
    readonly tokenLabel: string;
    readonly tokenSerial: string;
    readonly pinFile: string;
    readonly concurrency: number;
  };
  readonly pin: string;
  readonly slot: Handle;
  /** Loads the module with some members replaced; absent where none is. */
  readonly load?: () => Promise<Cryptoki>;
  /** A session of somebody else in this process, who is logged in. */
  readonly inSession: <T>(work: (cryptoki: WholeCryptoki, session: Handle) => T) => T;
}

interface SoftHsm {
  /** A new token, with a path of the library that no other has. */
  readonly token: (replaced?: Replaced) => Promise<SoftToken>;
  readonly cryptoki: () => WholeCryptoki;
}

/** Facts that need SoftHSM2 and the package pkcs11js. SoftHSM reads an environment of its own while the facts are tried. */
export function describeWithSoftHsm(name: string, facts: (hsm: SoftHsm) => void): void {
  const PKCS11 = packageHere();
  const missing = [
    ...(library === undefined ? ['no libsofthsm2.so; install softhsm2'] : []),
    ...(PKCS11 === undefined ? ['no package pkcs11js; install a compiler and run npm ci'] : []),
  ];
  if (library === undefined || PKCS11 === undefined) {
    const skipped = `skipped: there is ${missing.join(', and ')}`;
    describe.skip(`${name} (${skipped})`, () => {
      const fail = (): never => {
        throw new Error(skipped);
      };
      facts({ token: fail, cryptoki: fail });
    });
    return;
  }
  describe(name, () => {
    let directory: string;
    let cryptoki: WholeCryptoki;
    let made = 0;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'soft-hsm-'));
      Object.assign(process.env, emptySoftHsm(directory));
      cryptoki = new PKCS11();
      cryptoki.load(library ?? '');
      cryptoki.C_Initialize({ flags: 2 });
    });
    afterAll(async () => {
      cryptoki.C_Finalize();
      delete process.env['SOFTHSM2_CONF'];
      await rm(directory, { recursive: true });
    });

    async function token(replaced?: Replaced): Promise<SoftToken> {
      made += 1;
      const tokenLabel = `token ${made}`;
      const pin = `pin-canary-${made}`;
      const path = join(directory, `library-${made}.so`);
      const pinFile = join(directory, `pin-${made}`);
      await Promise.all([symlink(library ?? '', path), writeFile(pinFile, `${pin}\n`)]);
      const slot = newToken(cryptoki, tokenLabel, pin);
      const tokenSerial = cryptoki.C_GetTokenInfo(slot).serialNumber.trim();
      return {
        settings: { type: 'pkcs11', library: path, tokenLabel, tokenSerial, pinFile, concurrency: 4 },
        pin,
        slot,
        ...(replaced && { load: () => Promise.resolve(withReplaced(new (PKCS11 as new () => Cryptoki)(), replaced)) }),
        inSession: (work) => {
          const session = cryptoki.C_OpenSession(slot, 6);
          try {
            logIn(cryptoki, session, pin);
            return work(cryptoki, session);
          } finally {
            cryptoki.C_CloseSession(session);
          }
        },
      };
    }

    facts({ token, cryptoki: () => cryptoki });
  });
}

function packageHere(): (new () => WholeCryptoki) | undefined {
  try {
    // Where the package is missing, its types are too.
    const { PKCS11 } = createRequire(__filename)('pkcs11js') as { PKCS11: new () => WholeCryptoki };
    return PKCS11;
  } catch {
    return undefined;
  }
}

function newToken(cryptoki: WholeCryptoki, label: string, pin: string): Handle {
  const slots = (isWanted: (label: string) => boolean): Handle => {
    const slot = cryptoki.C_GetSlotList(true).find((each) => isWanted(cryptoki.C_GetTokenInfo(each).label.trim()));
    if (!slot) throw new Error('SoftHSM has no such slot');
    return slot;
  };
  cryptoki.C_InitToken(
    slots((written) => written === ''),
    'officer',
    label.padEnd(32),
  );
  const slot = slots((written) => written === label);
  const session = cryptoki.C_OpenSession(slot, 6);
  cryptoki.C_Login(session, 0, 'officer');
  cryptoki.C_InitPIN(session, pin);
  cryptoki.C_Logout(session);
  cryptoki.C_CloseSession(session);
  return slot;
}

function logIn(cryptoki: WholeCryptoki, session: Handle, pin: string): void {
  try {
    cryptoki.C_Login(session, 1, pin);
  } catch (error) {
    if ((error as Error).message !== 'CKR_USER_ALREADY_LOGGED_IN') throw error;
  }
}

function withReplaced(cryptoki: Cryptoki, replaced: Replaced): Cryptoki {
  return new Proxy(cryptoki, {
    get(target, name: keyof Cryptoki) {
      const own: unknown = target[name];
      // A promise asks for `then`.
      if (typeof own !== 'function') return own;
      const other = replaced[name] as ((...given: unknown[]) => unknown) | undefined;
      const bound = own.bind(target) as (...given: unknown[]) => unknown;
      return other ? (...given: unknown[]) => other(bound, ...given) : bound;
    },
  });
}

/** A key pair for ES256, as an operator makes it, who may make it otherwise than the service. @param id in hexadecimal */
export function makeKey({ inSession }: SoftToken, id: string, changes: Record<number, boolean> = {}): void {
  const both = [
    { type: CK.CKA_KEY_TYPE, value: CK.CKK_EC },
    { type: CK.CKA_TOKEN, value: true },
    { type: CK.CKA_ID, value: Buffer.from(id, 'hex') },
  ];
  const guards = { [CK.CKA_SIGN]: true, [CK.CKA_SENSITIVE]: true, [CK.CKA_EXTRACTABLE]: false, ...changes };
  const curve = { type: CK.CKA_EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') };
  const guarded = Object.entries(guards).map(([type, value]) => ({ type: Number(type), value }));
  inSession((cryptoki, session) => {
    const mechanism = { mechanism: CK.CKM_EC_KEY_PAIR_GEN };
    cryptoki.C_GenerateKeyPair(session, mechanism, [...both, curve], [...both, ...guarded]);
  });
}

/** @param id of all when absent */
export function objectsIn({ inSession }: SoftToken, id?: string): Handle[] {
  return inSession((cryptoki, session) => {
    const template = id === undefined ? [] : [{ type: CK.CKA_ID, value: Buffer.from(id, 'hex') }];
    cryptoki.C_FindObjectsInit(session, template);
    const found = cryptoki.C_FindObjects(session, 9);
    cryptoki.C_FindObjectsFinal(session);
    return found;
  });
}

/** @param kind all when absent */
export function destroy(token: SoftToken, id: string, kind?: number): void {
  for (const object of objectsIn(token, id)) {
    token.inSession((cryptoki, session) => {
      const [found] = cryptoki.C_GetAttributeValue(session, object, [{ type: CK.CKA_CLASS }]);
      if (kind === undefined || found?.value[0] === kind) cryptoki.C_DestroyObject(session, object);
    });
  }
}
