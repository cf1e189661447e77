import { approvalProblems } from './approval-problems';
import { certificateProblems } from './certificate-problems';
import { sessionProblems } from './session-problems';
import { templateProblems } from './template-problems';
import { tenantProblems } from './tenant-problems';

/**
 * Every named error of the management API, by slug: title, HTTP status, the remedy shown on its page, and what leads to it.
 * Status rule: 400 the request is wrong by itself, 404 what it names does not exist, 409 it conflicts with the present
 * state, 422 it breaks a stored rule, 502 another server failed us, 500 our own configuration contradicts itself,
 * 503 what is needed for an answer is not there at the moment.
 */
export const catalogue = {
  ...approvalProblems,
  ...sessionProblems,
  ...tenantProblems,
  'invalid-credential-type': {
    title: 'Invalid Credential Type',
    status: 400,
    remedy: 'Send `credential` as a JSON object (unsigned) or as a string (signed), and set `isSigned` to match.',
    example: 'POST /v0/credentials {"offerId": "order-2", "templateId": "membership"}',
  },
  'no-credential-configuration-found': {
    title: 'No Credential Configuration Found',
    status: 404,
    remedy: 'List `GET /v0/credential_configurations` and name one of them, or name a published template.',
    example: 'GET /v0/credential_configurations/w3c-vc-credential',
  },
  'unsupported-credential-format': {
    title: 'Unsupported Credential Format',
    status: 500,
    remedy:
      'A newer version stored the template, in a format or data model that this one cannot build: run the newer version, or name another template.',
    example: 'A credential of a template that a newer version stored, after a return to this version.',
  },
  'unsupported-credential-configuration-format': {
    title: 'Unsupported Credential Configuration Format',
    status: 500,
    remedy:
      'A newer version stored the template of the configuration, in a format that this one does not know: run the newer version, or archive the template.',
    example: 'The metadata with a template that a newer version stored, after a return to this version.',
  },
  'invalid-credential-payload': {
    title: 'Invalid Credential Payload',
    status: 400,
    remedy: 'Send a `credentialSubject` that is an object with the claims of one person.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "templateId": "membership", "credential": {"given_name": "Erika"}}',
  },
  'invalid-identifier': {
    title: 'Invalid Identifier Error',
    status: 400,
    remedy: 'Give `credential.id` as an absolute URI, for example `urn:uuid:...` or `https://...`.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "templateId": "membership", "credential": {"id": "number 7", "credentialSubject": {"given_name": "Erika"}}}',
  },
  'invalid-expiration-date': {
    title: 'Invalid Expiration Date',
    status: 400,
    remedy:
      'Send `expiresAt` as an RFC 3339 date-time in the future, not later than 9999-12-31T23:59:59Z, or `never`. For a signed credential leave it out, or send its own `exp`.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "templateId": "membership", "credential": {"credentialSubject": {"given_name": "Erika"}}, "expiresAt": "2099-12-31"}',
  },
  'claims-not-checked': {
    title: 'Claims Not Checked',
    status: 503,
    remedy:
      'Send the credential again after the seconds in `Retry-After`, in a request with fewer others. If that keeps failing, a `pattern` of the template is too slow: write it more simply.',
    example: 'A batch of credentials whose template has a `pattern` that is tried for seconds.',
  },
  'credential-not-issued': {
    title: 'Credential Not Issued',
    status: 409,
    remedy:
      'Only a credential that a wallet has fetched has a status. To keep wallets from fetching it, withdraw its offer: `DELETE /v0/offers/{offerId}`.',
    example: 'POST /v0/credentials/not-fetched/revoke',
  },
  'credential-not-revocable': {
    title: 'Credential Not Revocable',
    status: 422,
    remedy:
      'Set `revocable` in the template or configuration before credentials are issued. One that was issued without it, or signed elsewhere, has no status here.',
    example: 'POST /v0/credentials/not-revocable/revoke',
  },
  'credential-revoked': {
    title: 'Credential Revoked',
    status: 409,
    remedy: 'Revocation is final: issue a new credential instead.',
    example: 'POST /v0/credentials/revoked/suspend',
  },
  'missing-credential-offer': {
    title: 'Missing Credential Offer',
    status: 404,
    remedy:
      'List `GET /v0/offers` and name one of them, or create the offer first: `POST /v0/offers`, or name its `offerId` in `POST /v0/credentials`.',
    example: 'GET /v0/offers/no-offer',
  },
  'send-credential-offer-error': {
    title: 'Send Credential Offer Error',
    status: 502,
    remedy:
      'Check the server of `targetUrl`: it has to answer 2xx, without a redirect to a private address; `detail` has the reason.',
    example: 'An offer sent to a server that answers 500.',
  },
  'template-not-eligible-for-public-offer': {
    title: 'Template Not Eligible For Public Offer',
    status: 422,
    remedy:
      'Offer publicly only templates whose every schema leaf is a `const`, or, with `grants` of `authorization_code` alone, whose data come from a login, a presentation or the webhook.',
    example: 'POST /v0/offers {"templateIds": ["membership"], "public": true}',
  },
  'unsupported-credential-format-identifier': {
    title: 'Unsupported Credential Format Identifier Error',
    status: 400,
    remedy: 'Use the format identifier `jwt_vc_json` or `dc+sd-jwt`.',
    example: 'POST /v0/templates {"title": "Badge", "format": "vc+sd-jwt", "schema": {"type": "object"}}',
  },
  'missing-template-id': {
    title: 'Missing Template ID',
    status: 400,
    remedy: 'Name a published template in `templateId`, or a provisioned configuration in `credentialConfigurationId`.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "credential": {"credentialSubject": {"given_name": "Erika"}}}',
  },
  'missing-template-ids': {
    title: 'Missing Template IDs',
    status: 400,
    remedy: 'Send `templateIds` as a non-empty array of template ids, or the `offerId` of an offer.',
    example: 'POST /v0/offers {}',
  },
  'template-not-found': {
    title: 'Template Not Found',
    status: 404,
    remedy: 'List `GET /v0/templates` and name one of them.',
    example: 'GET /v0/templates/no-template',
  },
  'template-not-published': {
    title: 'Template Not Published',
    status: 409,
    remedy: 'Publish the template first: `POST /v0/templates/{templateId}/publish`.',
    example: 'POST /v0/offers {"templateIds": ["a-draft"]}',
  },
  ...templateProblems,
  'update-provisioned-credential-configuration': {
    title: 'Update Provisioned Credential Configuration Error',
    status: 400,
    remedy: 'Change the file of the configuration and restart the service, or create a template instead.',
    example: 'PATCH /v0/credential_configurations/w3c_vc_credential {}',
  },
  'remove-provisioned-credential-configuration': {
    title: 'Remove Provisioned Credential Configuration Error',
    status: 400,
    remedy: 'Remove the file of the configuration and restart the service.',
    example: 'DELETE /v0/credential_configurations/w3c_vc_credential',
  },
  'managed-by-template': {
    title: 'Managed By Template',
    status: 409,
    remedy: 'Change or archive the template instead: its credential configuration follows.',
    example: 'DELETE /v0/credential_configurations/membership',
  },
  'expiration-exceeds-template-limit': {
    title: 'Expiration Exceeds Template Limit',
    status: 422,
    remedy: 'Send an `expiresAt` within the `expiration` of the template, or leave it out to use that limit.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "templateId": "membership", "credential": {"credentialSubject": {"given_name": "Erika"}}, "expiresAt": "never"}',
  },
  'invalid-signed-credential-format': {
    title: 'Invalid Signed Credential Format',
    status: 400,
    remedy:
      'Send `credential` as a compact JWT with a `vc` claim, or as an SD-JWT VC that ends with a tilde, signed with the key that its issuer publishes. Send an unsigned credential as a JSON object, not as a string.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "templateId": "membership", "credential": "given_name=Erika"}',
  },
  'signed-credential-format-mismatch': {
    title: 'Signed Credential Format Mismatch',
    status: 422,
    remedy: 'Send a signed credential in the format of the template, or name a template of its format.',
    example: 'A signed credential that is a JWT with a `vc` claim, for a template of the format `dc+sd-jwt`.',
  },
  'invalid-template-schema': {
    title: 'Invalid Template Schema',
    status: 400,
    remedy: 'Send a JSON Schema (2020-12, 2019-09 or draft-07) that describes an object, without remote references.',
    example: 'POST /v0/templates {"title": "Badge", "format": "dc+sd-jwt", "schema": {"type": "array"}}',
  },
  'credential-schema-validation-failed': {
    title: 'Credential Schema Validation Failed',
    status: 422,
    remedy:
      'Make the claims in `credentialSubject` satisfy the schema of the template; `violations` lists the first hundred faults.',
    example:
      'POST /v0/credentials {"offerId": "order-2", "templateId": "membership", "credential": {"credentialSubject": {"givenname": "Erika"}}}',
  },
  'validation-failed': {
    title: 'Validation Failed',
    status: 400,
    remedy: 'Correct what `detail` names; `violations` points at each member, where a member is at fault.',
    example: 'GET /v0/offers?limit=1000',
  },
  'malformed-json': {
    title: 'Malformed JSON',
    status: 400,
    remedy: 'Send a body that is one well-formed JSON object in UTF-8, without repeated members.',
    example: `POST /v0/offers {'offerId': 'order-2'}`,
  },
  'payload-too-large': {
    title: 'Payload Too Large',
    status: 413,
    remedy: 'Send a smaller body, or several: `detail` has the limit of the address.',
    example: 'An offer with a body of 300 KiB.',
  },
  'request-header-fields-too-large': {
    title: 'Request Header Fields Too Large',
    status: 431,
    remedy: 'Send fewer or shorter headers, and a shorter address: together they may have 16 KiB.',
    example: 'Cookies of 20 KiB.',
  },
  'unsupported-media-type': {
    title: 'Unsupported Media Type',
    status: 415,
    remedy: 'Send the body with `Content-Type: application/json`, uncompressed.',
    example: 'POST /v0/offers Content-Type: text/plain {"offerId": "order-2"}',
  },
  'not-acceptable': {
    title: 'Not Acceptable',
    status: 406,
    remedy: 'Send `Accept: application/json` or another type that this address offers.',
    example: 'POST /v0/offers Accept: application/xml {"offerId": "order-2"}',
  },
  'event-not-found': {
    title: 'Event Not Found',
    status: 404,
    remedy:
      'Send the `id` of an event of this service, `0` for all events since the first, or nothing for those from now on.',
    example: 'GET /v0/events Last-Event-ID: x',
  },
  'too-many-event-streams': {
    title: 'Too Many Event Streams',
    status: 429,
    remedy: 'Close streams that are not read any more, and share one among the consumers of a process.',
    example: 'A stream for each page that shows events, while a key may hold ten.',
  },
  unauthorized: {
    title: 'Unauthorized',
    status: 401,
    remedy:
      'Send an API key as `Authorization: Bearer <key>` or `X-API-Key: <key>`; `sealwright api-keys create` makes one. Of an access token, `detail` names the fault.',
    example: 'GET /v0/offers X-API-Key: sw_wrong',
  },
  forbidden: {
    title: 'Forbidden',
    status: 403,
    remedy: 'Use a key or token with the scope that `detail` names.',
    example: 'POST /v0/offers X-API-Key: KEY_WITH_offers:read {"offerId": "order-2"}',
  },
  'not-found': {
    title: 'Not Found',
    status: 404,
    remedy:
      'Check the address, and the id in it where `detail` names one: lists such as `GET /v0/credentials` have the ids. In the development profile, `GET /docs` lists all addresses.',
    example: 'GET /v1/offers',
  },
  'method-not-allowed': {
    title: 'Method Not Allowed',
    status: 405,
    remedy: 'Use one of the methods named in the `Allow` header.',
    example: 'PUT /v0/templates/membership {"title": "Gold"}',
  },
  'invalid-dcql-query': {
    title: 'Invalid DCQL Query',
    status: 400,
    remedy: 'Correct the members of `dcql_query` that `violations` points at (OpenID4VP 1.0, section 6).',
    example: 'POST /v0/authorization_requests {"dcql_query": {}}',
  },
  'state-already-used': {
    title: 'State Already Used',
    status: 409,
    remedy: 'Choose another `state` for each authorization request, or leave it out to get a random one.',
    example: 'POST /v0/authorization_requests {"state": "used"}',
  },
  'request-not-registered': {
    title: 'Request Not Registered',
    status: 422,
    remedy:
      'Ask for what `violations` do not name, or for what another registration certificate lists and name it in `intendedUseId`. The operator can have the use registered, or set `SERVICE__REGISTRATION__OVERASKING`.',
    example:
      'POST /v0/authorization_requests {"intendedUseId": "unknown", "dcql_query": {"credentials": [{"id": "pid", "format": "dc+sd-jwt", "meta": {"vct_values": ["urn:eudi:pid:1"]}}]}}',
  },
  ...certificateProblems,
  'invalid-response-code': {
    title: 'Invalid Response Code',
    status: 403,
    remedy:
      'Send `{"responseCode": "..."}` with the value of `response_code` from the fragment of the address at which the wallet returned the person to you, once.',
    example: 'POST /v0/authorization_requests/used/response_code {"responseCode": "x"}',
  },
  'webhook-not-found': {
    title: 'Webhook Not Found',
    status: 404,
    remedy: 'List `GET /v0/webhooks` and name one of them.',
    example: 'GET /v0/webhooks/no-webhook',
  },
  'webhook-url-not-allowed': {
    title: 'Webhook URL Not Allowed',
    status: 400,
    remedy:
      'Send an https URL without port, user name and password, whose host has a public address; `SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS` lists exceptions.',
    example: 'POST /v0/webhooks {"url": "http://portal.example/hook"}',
  },
  'invalid-webhook-secret': {
    title: 'Invalid Webhook Secret',
    status: 400,
    remedy:
      'Leave `secret` out to get a random one, or send `whsec_` followed by 24 to 64 random bytes in base64 (Standard Webhooks).',
    example: 'POST /v0/webhooks {"url": "https://portal.example/hook", "secret": "open sesame"}',
  },
  'replay-not-possible': {
    title: 'Replay Not Possible',
    status: 422,
    remedy:
      'Begin with a later event or time: `detail` has the earliest, which `SERVICE__WEBHOOKS__RETENTION_DAYS` sets.',
    example: 'A replay of events that a webhook got two months ago.',
  },
  'version-conflict': {
    title: 'Version Conflict',
    status: 412,
    remedy: 'Read the current state, check that the change still applies, and send its `ETag` as `If-Match`.',
    example: 'PATCH /v0/templates/membership If-Match: "99" {"title": "Gold"}',
  },
  conflict: {
    title: 'Conflict',
    status: 409,
    remedy:
      '`detail` says what is in the way. Read the current state, then change the request, or repeat it if it still applies.',
    example: 'POST /v0/offers/order-1/take_offline',
  },
  'setting-missing': {
    title: 'Setting Missing',
    status: 409,
    remedy: 'Ask the operator to give the settings that `detail` names, or send a request that does not need them.',
    example: 'POST /v0/offers {"offerId": "order-2", "grants": ["authorization_code"], "identification": "openid"}',
  },
  'idempotency-key-reused': {
    title: 'Idempotency Key Reused',
    status: 422,
    remedy: 'Choose a new `Idempotency-Key` for each request; reuse one only to repeat the identical request.',
    example: 'POST /v0/offers Idempotency-Key: order-1 {"offerId": "order-2"}',
  },
  'rate-limited': {
    title: 'Rate Limited',
    status: 429,
    remedy: 'Wait for the seconds in `Retry-After`, and correct the key or token before you try again.',
    example: 'A wrong key in a loop.',
  },
  unavailable: {
    title: 'Unavailable',
    status: 503,
    remedy:
      'The database, or the server of the keys of access tokens, cannot be reached at the moment, or too many checks or requests to other servers are waiting. Retry after the seconds in `Retry-After`.',
    example: 'Any request while the database restarts.',
  },
  'outcome-unknown': {
    title: 'Outcome Unknown',
    status: 503,
    remedy:
      'The database stopped answering while it was storing the request, which may have been carried out. Send the same request again with the same `Idempotency-Key`: it is carried out once. Without such a key, first check whether it was.',
    example: 'A new offer in the second in which the database stops.',
  },
  internal: {
    title: 'Internal Error',
    status: 500,
    remedy: 'Give the `instance` of this answer to the operator; the log line with this id has the cause.',
    example: 'A defect of the service.',
  },
} as const satisfies Record<string, CatalogueEntry>;

interface CatalogueEntry {
  readonly title: string;
  readonly status: number;
  readonly remedy: string;
  /** A request, as `METHOD path Header: value body` in one line, or a situation in words where no single request leads to it. */
  readonly example: string;
}

export type ProblemSlug = keyof typeof catalogue;

/** The entry of a slug; also for a slug that came from outside (`undefined` when there is none). */
export function problemEntry(slug: string): CatalogueEntry | undefined {
  return Object.hasOwn(catalogue, slug) ? catalogue[slug as ProblemSlug] : undefined;
}
