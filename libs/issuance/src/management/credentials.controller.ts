import { type Answer, Implements, type Input, Resource, timeRange, entityTag, created, HttpReply } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { CredentialContent } from '../credential/sealed-content';
import type { CheckedSignature, Credential } from '../credential/credential';
import { copiesOf, lastIssuedAt } from '../credential/credential-copies';
import { validityOf } from '../credential/credential-validity';
import { credentialInputOf, credentials } from './credentials.contract';
import { DenyCredential } from './denial.handlers';
import { ListCredentials } from './credential-lists.handlers';
import { PrepareCredential } from '../api';
import { GetCredential } from './credentials.handlers';

@Resource(credentials)
export class CredentialsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(credentials.prepare)
  async prepare({ body }: Input<typeof credentials.prepare>): Promise<HttpReply> {
    const { credential, links } = await this.commands.execute(new PrepareCredential(credentialInputOf(body)));
    const location = `/v0/credentials/${encodeURIComponent(credential.credentialId)}`;
    return created(location, { ...credentialView(credential), ...links });
  }

  @Implements(credentials.list)
  async list({ query }: Input<typeof credentials.list>): Promise<Answer<typeof credentials.list>> {
    const { page, preparedBy, offerId, authorizationId, templateId, status, signingKeyId, validity } = query;
    const created = timeRange(query.createdAfter, query.createdBefore);
    const issued = timeRange(query.issuedAfter, query.issuedBefore);
    const filter = {
      preparedBy,
      offerId,
      authorizationId,
      created,
      issued,
      templateId,
      status,
      signingKeyId,
      validity,
    };
    const { items, nextCursor } = await this.queries.execute(new ListCredentials(page, filter));
    return { items: items.map((item) => credentialView(item.state)), nextCursor };
  }

  @Implements(credentials.get)
  async get({ params: { credentialId } }: Input<typeof credentials.get>): Promise<HttpReply> {
    const { credential, version, timeline, content, isErased, reason } = await this.queries.execute(
      new GetCredential(credentialId),
    );
    const view = {
      ...credentialView(credential),
      // Before signatures were checked, nothing was recorded.
      ...(content && 'signed' in content && { signature: signatureOf(credential) }),
      // Erased claims leave a record without them.
      credential: content ? contentView(content) : null,
      ...(content?.reference !== undefined && { reference: content.reference }),
      ...(reason !== undefined && { reason }),
      timeline,
    };
    return new HttpReply(200, view, { ETag: entityTag(version, `${isErased ? 'erased-' : ''}${timeline.length}`) });
  }

  @Implements(credentials.deny)
  async deny({ params: { credentialId }, body, conditions }: Input<typeof credentials.deny>): Promise<void> {
    await this.commands.execute(new DenyCredential(credentialId, body.reason, conditions));
  }
}

function signatureOf(credential: Credential): CheckedSignature {
  return ('signature' in credential && credential.signature) || 'not-checked';
}

function contentView(content: CredentialContent): unknown {
  if ('signed' in content) return content.signed;
  return {
    ...(content.id !== undefined && { id: content.id }),
    ...content.members,
    credentialSubject: content.claims,
  };
}

export function credentialView(credential: Credential): Answer<typeof credentials.list>['items'][number] {
  const validity = validityOf(credential);
  const { credentialId, offerId, authorizationId, templateId } = credential;
  const { configurationId, format, status, createdAt, wait } = credential;
  return {
    credentialId,
    ...(offerId !== undefined && { offerId }),
    ...(authorizationId !== undefined && { authorizationId }),
    ...(templateId !== undefined && { templateId }),
    credentialConfigurationId: configurationId,
    format,
    status,
    ...('expiresAt' in credential && { expiresAt: credential.expiresAt ?? 'never' }),
    createdAt,
    ...(wait && { requestedAt: wait.requestedAt, submittableUntil: wait.submittableUntil }),
    ...('signature' in credential && { signature: credential.signature }),
    ...('issuedAt' in credential && {
      issuedAt: credential.issuedAt,
      lastIssuedAt: lastIssuedAt(credential),
      copies: copiesOf(credential),
      signingKeyId: credential.signingKeyId,
    }),
    ...('keyAttestations' in credential && { keyAttestations: credential.keyAttestations }),
    ...('approval' in credential && { approval: credential.approval }),
    ...('deniedAt' in credential && { deniedAt: credential.deniedAt }),
    ...(validity && { validity }),
    ...erasureView(credential),
  };
}

/** Once it is done, the time that was planned is of no interest. */
function erasureView({ eraseAt, erasedAt }: Credential): { eraseAt?: string; erasedAt?: string } {
  if (erasedAt !== undefined) return { erasedAt };
  return eraseAt === undefined ? {} : { eraseAt };
}
