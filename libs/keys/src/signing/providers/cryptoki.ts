import { SettingsError } from '@app/config';

/** Of a slot, a session or an object. */
export type Handle = Buffer;
export interface Attribute {
  readonly type: number;
  readonly value?: number | boolean | string | Buffer;
}
interface Mechanism {
  readonly mechanism: number;
  readonly parameter?: Buffer;
}

/** What this service calls of a PKCS#11 module. All throw errors whose message is the name of a return value: `CKR_DEVICE_REMOVED`. */
export interface Cryptoki {
  load(path: string): void;
  C_Initialize(options: { readonly flags: number }): void;
  C_GetSlotList(hasToken: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string; readonly serialNumber: string; readonly flags: number };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_GetSessionInfo(session: Handle): { readonly state: number };
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, most: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(
    session: Handle,
    object: Handle,
    template: readonly Attribute[],
  ): readonly { readonly value: Buffer }[];
  C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_SignAsync(session: Handle, data: Buffer, out: Buffer): Promise<Buffer>;
  C_GenerateKeyPairAsync(
    session: Handle,
    mechanism: Mechanism,
    publicTemplate: readonly Attribute[],
    privateTemplate: readonly Attribute[],
  ): Promise<{ readonly publicKey: Handle; readonly privateKey: Handle }>;
  C_DestroyObject(session: Handle, object: Handle): void;
}

/** The numbers of PKCS#11 3.1 that matter here; the package does not know those of Edwards curves. */
export const CK = {
  CKF_OS_LOCKING_OK: 0x2,
  CKF_RW_SESSION: 0x2,
  CKF_SERIAL_SESSION: 0x4,
  CKF_USER_PIN_FINAL_TRY: 0x2_0000,
  CKF_USER_PIN_LOCKED: 0x4_0000,
  CKU_USER: 1,
  CKS_RO_USER_FUNCTIONS: 1,
  CKS_RW_USER_FUNCTIONS: 3,
  CKO_CERTIFICATE: 1,
  CKO_PUBLIC_KEY: 2,
  CKO_PRIVATE_KEY: 3,
  CKK_EC: 0x3,
  CKK_EC_EDWARDS: 0x40,
  CKA_CLASS: 0x0,
  CKA_TOKEN: 0x1,
  CKA_PRIVATE: 0x2,
  CKA_LABEL: 0x3,
  CKA_VALUE: 0x11,
  CKA_KEY_TYPE: 0x100,
  CKA_ID: 0x102,
  CKA_SENSITIVE: 0x103,
  CKA_SIGN: 0x108,
  CKA_VERIFY: 0x10a,
  CKA_EXTRACTABLE: 0x162,
  CKA_EC_PARAMS: 0x180,
  CKA_EC_POINT: 0x181,
  CKM_EC_KEY_PAIR_GEN: 0x1040,
  CKM_ECDSA: 0x1041,
  CKM_EC_EDWARDS_KEY_PAIR_GEN: 0x1055,
  CKM_EDDSA: 0x1057,
} as const;

/** A library is loaded and initialised once in a process, whoever uses it. */
const loaded = new Map<string, Cryptoki>();

/** The name of the return value in an error of a module; `undefined` for other errors. */
export function returnValueOf(error: unknown): string | undefined {
  return error instanceof Error && /^CKR_\w+$/.test(error.message) ? error.message : undefined;
}

/**
 * The module at the path, not yet initialised. Throws `SettingsError`.
 * @param setting `SERVICE__SIGNER__HSM__`
 * @param load of the package, which not everybody has
 */
export async function loadCryptoki(path: string, setting: string, load = loadPackage): Promise<Cryptoki> {
  const known = loaded.get(path);
  if (known) return known;
  const fault = (member: string, found: string, remedy: string): SettingsError =>
    new SettingsError([{ name: setting + member, found, remedy }]);
  const made = await load().catch(() => {
    const remedy =
      'run "npm install pkcs11js", or "npm rebuild pkcs11js" where scripts were ignored; it takes Python, make and a C++ compiler';
    throw fault('TYPE', 'pkcs11 without the package pkcs11js', remedy);
  });
  try {
    made.load(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be loaded';
    throw fault(
      'LIBRARY',
      'a file that is no PKCS#11 module',
      `name the library of the maker for this machine (${reason})`,
    );
  }
  loaded.set(path, made);
  return made;
}

async function loadPackage(): Promise<Cryptoki> {
  // Not a literal: where the package is missing, types are too.
  const name = 'pkcs11js';
  const { default: pkcs11js } = (await import(name)) as { default: { PKCS11: new () => Cryptoki } };
  return new pkcs11js.PKCS11();
}
