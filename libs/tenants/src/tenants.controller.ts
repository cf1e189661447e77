import { type Answer, created, entityTag, HttpReply, Implements, type Input, Resource } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { statusOf, storeNameOf } from './tenant';
import { TenantFiles } from './tenant-files';
import { limitsOf, type StoredTenant } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { tenants } from './tenants.contract';
import {
  ChangeTenant,
  CreateTenant,
  CreateTenantKey,
  DeleteTenant,
  FindTenantHost,
  GetTenant,
  GetTenantUsage,
  ListTenants,
  RestoreTenant,
  ResumeTenant,
  SuspendTenant,
} from './tenants.handlers';

@Resource(tenants)
export class TenantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly registry: TenantRegistry,
    private readonly files: TenantFiles,
  ) {}

  @Implements(tenants.create)
  async create({ body }: Input<typeof tenants.create>): Promise<HttpReply> {
    const { tenantId, displayName, publicUrl, settings = {}, limits = {}, store } = body;
    const content = { displayName, ...(publicUrl !== undefined && { publicUrl }), settings, limits: limitsOf(limits) };
    const { apiKey, ...made } = await this.commands.execute(new CreateTenant(tenantId, content, store));
    const reply = created(`/v0/tenants/${tenantId}`, { ...this.view(made), apiKey });
    return new HttpReply(reply.status, reply.body, { ...reply.headers, ETag: this.tagOf(made) });
  }

  @Implements(tenants.list)
  async list({ query }: Input<typeof tenants.list>): Promise<Answer<typeof tenants.list>> {
    const { items, nextCursor } = await this.queries.execute(new ListTenants(query.page));
    return { items: items.map((one) => this.view(one)), nextCursor };
  }

  /** Before the one whose address it could be taken for. */
  @Implements(tenants.byHost)
  async byHost({ query: { domain } }: Input<typeof tenants.byHost>): Promise<Answer<typeof tenants.byHost>> {
    if (await this.queries.execute(new FindTenantHost(domain))) return { domain };
    throw new Problem('tenant-not-found', `No tenant has the host ${domain}.`);
  }

  @Implements(tenants.get)
  async get({ params: { tenantId } }: Input<typeof tenants.get>): Promise<HttpReply> {
    return this.reply(await this.queries.execute(new GetTenant(tenantId)));
  }

  @Implements(tenants.change)
  async change({ params: { tenantId }, body, conditions }: Input<typeof tenants.change>): Promise<HttpReply> {
    return this.reply(await this.commands.execute(new ChangeTenant(tenantId, body, conditions)));
  }

  @Implements(tenants.createKey)
  async createKey({ params: { tenantId }, body }: Input<typeof tenants.createKey>): Promise<HttpReply> {
    const apiKey = await this.commands.execute(new CreateTenantKey(tenantId, body.name, body.scopes));
    return new HttpReply(200, { apiKey });
  }

  @Implements(tenants.suspend)
  async suspend({ params: { tenantId }, body, conditions }: Input<typeof tenants.suspend>): Promise<HttpReply> {
    const { scope, reason } = body;
    const asked = { scope, ...(reason !== undefined && { reason }) };
    return this.reply(await this.commands.execute(new SuspendTenant(tenantId, asked, conditions)));
  }

  @Implements(tenants.resume)
  async resume({ params: { tenantId }, conditions }: Input<typeof tenants.resume>): Promise<HttpReply> {
    return this.reply(await this.commands.execute(new ResumeTenant(tenantId, conditions)));
  }

  @Implements(tenants.delete)
  async delete({
    params: { tenantId },
    query: { confirm },
    body: { credentials = 'keep-status' },
    conditions,
  }: Input<typeof tenants.delete>): Promise<HttpReply> {
    return this.reply(await this.commands.execute(new DeleteTenant(tenantId, confirm, credentials, conditions)));
  }

  @Implements(tenants.restore)
  async restore({ params: { tenantId }, conditions }: Input<typeof tenants.restore>): Promise<HttpReply> {
    return this.reply(await this.commands.execute(new RestoreTenant(tenantId, conditions)));
  }

  @Implements(tenants.usage)
  usage({ params: { tenantId } }: Input<typeof tenants.usage>): Promise<Answer<typeof tenants.usage>> {
    return this.queries.execute(new GetTenantUsage(tenantId));
  }

  private reply(stored: StoredTenant): HttpReply {
    return new HttpReply(200, this.view(stored), { ETag: this.tagOf(stored) });
  }

  private tagOf({ tenant, version }: StoredTenant): string {
    return entityTag(version, this.files.fileOf(tenant.tenantId) === undefined ? undefined : 'file');
  }

  private view({ tenant }: StoredTenant): Answer<typeof tenants.get> {
    const { tenantId, content, createdAt, suspension, deletion } = tenant;
    const { displayName, settings, limits } = content;
    const { deletedAt = null, restorableUntil = null, credentials = null } = deletion ?? {};
    return {
      tenantId,
      displayName,
      status: statusOf(tenant),
      url: this.registry.urlOf(tenantId, content),
      publicUrl: content.publicUrl ?? null,
      settings,
      limits: {
        offersPerMinute: limits.offersPerMinute ?? null,
        credentialsPerDay: limits.credentialsPerDay ?? null,
        requestsPerMinute: limits.requestsPerMinute ?? null,
      },
      store: storeNameOf(tenant),
      createdAt,
      suspension: suspension
        ? { scope: suspension.scope, reason: suspension.reason ?? null, suspendedAt: suspension.suspendedAt }
        : null,
      deletedAt,
      restorableUntil,
      file: this.files.fileOf(tenantId) ?? null,
      credentials,
    };
  }
}
