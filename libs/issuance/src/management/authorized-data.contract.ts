import { anyObject, is, resource, text } from '@app/http';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { isDateTime } from '@app/primitives/time';
import { credentialWithoutLinks, expiry, shared } from './credentials.contract';

class SubmitDataBody {
  @is.Optional('Which credential; needed when the authorization waits for several.', is.Text(1, 256))
  readonly credentialConfigurationId?: string;
  @is.Required(
    'The claims.',
    is.Check('isSubject', 'must be a JSON object with the claims of one person', isJsonObject),
    is.Shown({ ...anyObject, examples: [{ given_name: 'Erika', level: 3 }] }),
  )
  readonly credentialSubject!: JsonObject;
  @is.Optional(
    'RFC 3339 date-time, or `never`; the limit of the template when absent.',
    is.Check(
      'isExpiry',
      'must be an RFC 3339 date-time such as 2027-06-30T12:00:00Z, not later than 9999-12-31T23:59:59Z, or never',
      (value) => value === 'never' || isDateTime(value),
    ),
    is.Shown({ ...expiry, examples: ['2099-01-01T00:00:00Z', 'never'] }),
  )
  readonly expiresAt?: string;
}

export const authorizedData = resource(
  {
    ...shared,
    path: 'v0/authorizations',
    parameters: {
      authorizationId: {
        description: 'The id of the authorization, as the portal was told it when it was asked for the data.',
        schema: text,
        example: '4f0c7a52-52a0-4e0c-9a52-1d2b3c4d5e6f',
      },
    },
  },
  {
    submit: {
      id: 'submitAuthorizedData',
      makesNew: true,
      route: 'PUT :authorizationId/credential',
      // The credential exists once there is data for it.
      conditional: false,
      summary: 'Submit the data that a wallet waits for',
      description:
        'For a credential of a template with `data: webhook` whose data the portal could not give when it was asked (202, or no ' +
        'answer). It needs no approval. The wallet gets the credential when it asks the next time.',
      body: SubmitDataBody,
      examples: { later: { credentialSubject: { given_name: 'Erika', level: 3 } } },
      answers: { 200: { description: 'The credential, ready for its wallet.', schema: credentialWithoutLinks } },
      problems: [
        'conflict',
        'template-not-found',
        'template-not-published',
        'no-credential-configuration-found',
        'unsupported-credential-format',
        'unsupported-credential-configuration-format',
        'claims-not-checked',
        'invalid-credential-payload',
        'credential-schema-validation-failed',
        'invalid-template-schema',
        'invalid-expiration-date',
        'expiration-exceeds-template-limit',
      ],
    },
  },
);
