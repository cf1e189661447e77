-- Links of offers and of authorization requests take a scope of their own. Who could create them keeps getting them; who
-- could only read loses them.
update api_keys set scopes = array_append(scopes, 'offers:deliver')
  where 'offers:write' = any(scopes) and not 'offers:deliver' = any(scopes);
update api_keys set scopes = array_append(scopes, 'verification:deliver')
  where 'verification:write' = any(scopes) and not 'verification:deliver' = any(scopes);
