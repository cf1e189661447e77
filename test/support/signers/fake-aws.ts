import { createHash, createHmac, randomUUID } from 'node:crypto';
import { derOf } from './fake-keys';
import type { FakeDialect, FakeRequest } from './fake-signer';

export const awsCredentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/the+secret/of+AWS' };
export const awsRegion = 'eu-central-1';

const arns = `arn:aws:kms:${awsRegion}:111122223333:key/`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Computes the signature from what has arrived. */
function isSigned({ method, path, headers, text }: FakeRequest): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, id, day = '', region = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date']);
  const [year, month, date, hour, minute, second] = time.match(/^\d{4}|\d\d/g) ?? [];
  const age = Date.now() - Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  const signed = names.split(';');
  const isWhole = ['content-type', 'host', 'x-amz-date', 'x-amz-target'].every((name) => signed.includes(name));
  if (id !== awsCredentials.accessKeyId || region !== awsRegion || !isWhole || !time.startsWith(day)) return false;
  if (!(Math.abs(age) < 300_000)) return false;
  const lines = signed.map((name) => `${name}:${String(headers[name])}\n`).join('');
  const canonical = `${method}\n${path}\n\n${lines}\n${names}\n${sha256(text)}`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/kms/aws4_request\n${sha256(canonical)}`;
  const ofDay = hmac(`AWS4${awsCredentials.secretAccessKey}`, day);
  return signature === hmac(hmac(hmac(hmac(ofDay, region), 'kms'), 'aws4_request'), toSign).toString('hex');
}

const nameOf = (id: unknown): string =>
  String(id)
    .replace(arns, '')
    .replace(/^alias\//, '');

/** AWS KMS: keys by id, ARN, or an alias of the same name. */
export const fakeAws: FakeDialect = {
  isAllowed: isSigned,
  refusal: (kind, status) => {
    const types = {
      denied: 'AccessDeniedException',
      missing: 'com.amazonaws.kms#NotFoundException',
      throttled: 'ThrottlingException',
    };
    const message = kind === 'denied' ? `not with ${awsCredentials.secretAccessKey}` : kind;
    return { status: kind === 'throttled' ? (status ?? 400) : 400, body: { __type: types[kind], message } };
  },
  answer: ({ headers, body }, service) => {
    if (headers['content-type'] !== 'application/x-amz-json-1.1') return { status: 400 };
    const operation = String(headers['x-amz-target']).replace('TrentService.', '');
    if (operation === 'CreateKey') {
      const name = randomUUID();
      if (body['KeyUsage'] !== 'SIGN_VERIFY') return { status: 400 };
      service.add(name, body['KeySpec'] === 'ECC_NIST_EDWARDS25519' ? 'EdDSA' : 'ES256');
      return {
        status: 200,
        body: { KeyMetadata: { KeyId: name, Arn: arns + name, Description: body['Description'] } },
      };
    }
    const name = nameOf(body['KeyId']);
    const found = service.version(name);
    if (!found) return undefined;
    const { key } = found;
    const isEc = key.algorithm === 'ES256';
    if (operation === 'GetPublicKey') {
      const PublicKey = key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
      return { status: 200, body: { KeyId: arns + name, PublicKey, KeyUsage: 'SIGN_VERIFY' } };
    }
    const SigningAlgorithm = isEc ? 'ECDSA_SHA_256' : 'ED25519_SHA_512';
    const isAsked = body['SigningAlgorithm'] === SigningAlgorithm && body['MessageType'] === (isEc ? 'DIGEST' : 'RAW');
    if (operation !== 'Sign' || !isAsked) return { status: 400, body: { __type: 'ValidationException' } };
    const raw = service.sign(key, Buffer.from(String(body['Message']), 'base64'));
    const Signature = (isEc && raw.length === 64 ? derOf(raw) : raw).toString('base64');
    return { status: 200, body: { KeyId: arns + name, Signature, SigningAlgorithm } };
  },
};
