import { compactDecrypt, importJWK } from 'jose';
import { WalletFailure } from './failure';
import { type HolderKey, publicJwk } from './holder-key';

const algorithm = 'ECDH-ES';
const contentEncryption = ['A256GCM', 'A128GCM'];

/** Members of the wallet metadata that ask for an encrypted request object (OpenID4VP 1.0 §5.10). */
export function askingForEncryption(ours: HolderKey): object {
  return {
    jwks: { keys: [{ ...publicJwk(ours), use: 'enc', alg: algorithm, kid: ours.id }] },
    request_object_encryption_alg_values_supported: [algorithm],
    request_object_encryption_enc_values_supported: contentEncryption,
  };
}

/** The signed request object; as it came when the verifier has not encrypted it, which some cannot. */
export async function openRequestObject(object: string, ours: HolderKey): Promise<string> {
  if (object.split('.').length !== 5) return object;
  try {
    const { plaintext } = await compactDecrypt(object, await importJWK(ours.privateJwk, algorithm), {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: contentEncryption,
    });
    return Buffer.from(plaintext).toString('utf8');
  } catch {
    throw new WalletFailure('The verifier has encrypted its request to another key, or by other algorithms.');
  }
}
