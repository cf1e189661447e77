import { anyObject, closed, component, dateTime, eg, text, texts } from '@app/http';
import type { AcceptedStatus, AcceptedType } from '@app/credentials';
import { credentialFormats } from '@app/openid4vc';

const inheritance: readonly AcceptedType['by'][] = ['aka_vcts', 'extends'];
const statuses: readonly AcceptedStatus[] = ['valid', 'none', 'undetermined'];
/** What a relying party gets of one credential. */
export const presentedCredential = component(
  'PresentedCredential',
  closed({
    id: eg('membership', { type: 'string', description: 'That of the query.' }),
    format: { enum: credentialFormats },
    issuer: eg('did:web:issuer.example'),
    type: eg(['https://credentials.example/membership'], texts),
    'acceptedAs?': {
      ...closed({ type: eg('urn:eudi:pid:1'), by: { enum: inheritance } }),
      description:
        'The type of the query that the credential answers, when that is not its own: its issuer says that it is of that type ' +
        'too (`aka_vcts`), or the metadata of its type do (`extends`). The issuer is trusted for that type.',
    },
    claims: eg({ given_name: 'Erika' }, anyObject),
    holder: eg(
      { thumbprint: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s' },
      { anyOf: [closed({ thumbprint: text, 'did?': text }), { type: 'null' }] },
    ),
    status: eg('valid', {
      enum: statuses,
      description:
        '`none`: the issuer gave the credential no status. `undetermined`: it could not be found out, and the settings ' +
        'accept that. A suspended or revoked credential is rejected, which `failure` says.',
    }),
    trust: eg('trusted', { enum: ['trusted', 'accepted-in-development'] }),
    'trustAnchor?': {
      ...closed({
        name: eg('PID root', { type: 'string', description: 'As the settings name it.' }),
        subject: eg('CN=PID root, O=Example'),
        fingerprint: eg('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', {
          type: 'string',
          description: 'SHA-256 of the certificate.',
        }),
      }),
      description:
        'The certificate authority that vouches for the issuer; absent when the issuer is trusted by its name.',
    },
    'issuedAt?': dateTime,
    'expiresAt?': dateTime,
  }),
);
