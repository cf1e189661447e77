import { Idempotent, parseChoice, parsePageQuery, parseText } from '@app/http';
import { Described } from '@app/openapi';
import { created, HttpReply, RequiresScope } from '@app/web';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { CredentialContent } from './build-credential';
import type { Credential, CredentialStatus } from './credential';
import { credentialInputOf, PrepareCredentialBody } from './credentials.dto';
import { GetCredential, ListCredentials, PrepareCredential } from './credentials.handlers';
import { credentialsDescription } from './credentials.openapi';

const statuses: readonly CredentialStatus[] = ['Prepared', 'Issued', 'Accepted', 'Refused', 'Deleted'];

@Controller('v0/credentials')
@Described(credentialsDescription)
export class CredentialsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequiresScope('credentials:write')
  @Idempotent()
  async prepare(@Body() body: PrepareCredentialBody): Promise<HttpReply> {
    const credential = await this.commands.execute(new PrepareCredential(credentialInputOf(body)));
    const location = `/v0/credentials/${encodeURIComponent(credential.credentialId)}`;
    return created(location, credentialView(credential));
  }

  @Get()
  @RequiresScope('credentials:read')
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const offerId = parseText(query, 'offerId', 256);
    const templateId = parseText(query, 'templateId', 256);
    const status = parseChoice(query, 'status', statuses);
    const where = { ...(templateId !== undefined && { templateId }), ...(status !== undefined && { status }) };
    const page = await this.queries.execute(
      new ListCredentials(parsePageQuery(query), { where, ...(offerId !== undefined && { offerId }) }),
    );
    return { items: page.items.map((item) => credentialView(item.state)), nextCursor: page.nextCursor };
  }

  @Get(':credentialId')
  @RequiresScope('credentials:read')
  async get(@Param('credentialId') credentialId: string): Promise<unknown> {
    const { credential, content } = await this.queries.execute(new GetCredential(credentialId));
    return {
      ...credentialView(credential),
      // Before signatures were looked at, nothing was recorded.
      ...(content && 'signed' in content && { signature: credential.signature ?? 'not-checked' }),
      // Erased claims leave a record without them.
      credential: content ? contentView(content) : null,
    };
  }
}

function contentView(content: CredentialContent): unknown {
  if ('signed' in content) return content.signed;
  return {
    ...(content.id !== undefined && { id: content.id }),
    ...content.members,
    credentialSubject: content.claims,
  };
}

export function credentialView(credential: Credential): Record<string, unknown> {
  const { credentialId, offerId, templateId, configurationId, format, status, createdAt, expiresAt } = credential;
  return {
    credentialId,
    offerId,
    ...(templateId !== undefined && { templateId }),
    credentialConfigurationId: configurationId,
    format,
    status,
    expiresAt: expiresAt ?? 'never',
    createdAt,
    ...(credential.signature && { signature: credential.signature }),
    ...(credential.status !== 'Prepared' && { issuedAt: credential.issuedAt }),
  };
}
