import { type Answer, created, entityTag, HttpReply, Implements, type Input, Resource } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { StoredTenant } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { tenants } from './tenants.contract';
import { ChangeTenant, CreateTenant, CreateTenantKey, GetTenant, ListTenants } from './tenants.handlers';

@Resource(tenants)
export class TenantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly registry: TenantRegistry,
  ) {}

  @Implements(tenants.create)
  async create({ body }: Input<typeof tenants.create>): Promise<HttpReply> {
    const { tenantId, displayName, settings = {} } = body;
    const { apiKey, ...made } = await this.commands.execute(new CreateTenant(tenantId, { displayName, settings }));
    const reply = created(`/v0/tenants/${tenantId}`, { ...this.view(made), apiKey });
    return new HttpReply(reply.status, reply.body, { ...reply.headers, ETag: entityTag(made.version) });
  }

  @Implements(tenants.list)
  async list({ query }: Input<typeof tenants.list>): Promise<Answer<typeof tenants.list>> {
    const { items, nextCursor } = await this.queries.execute(new ListTenants(query.page));
    return { items: items.map((one) => this.view(one)), nextCursor };
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
    return new HttpReply(201, { apiKey });
  }

  private reply(stored: StoredTenant): HttpReply {
    return new HttpReply(200, this.view(stored), { ETag: entityTag(stored.version) });
  }

  private view({ tenant: { tenantId, content, createdAt } }: StoredTenant): Answer<typeof tenants.get> {
    const { displayName, settings } = content;
    return { tenantId, displayName, url: this.registry.urlOf(tenantId), settings, createdAt };
  }
}
