import { databaseHosts } from './database-hosts';

describe('the hosts of a database', () => {
  it('are those between commas, each with everything else of the URL', () => {
    expect(databaseHosts('postgres://app:a%40b,c@db1:5433,db2/main?sslmode=verify-full')).toEqual({
      wanted: 'read-write',
      hosts: [
        { name: 'db1:5433', connectionString: 'postgres://app:a%40b,c@db1:5433/main?sslmode=verify-full' },
        { name: 'db2:5432', connectionString: 'postgres://app:a%40b,c@db2:5432/main?sslmode=verify-full' },
      ],
    });
  });

  it('may be parameters, with one port for all or one for each', () => {
    const named = (written: string): string[] => databaseHosts(written).hosts.map(({ name }) => name);
    expect(named('postgresql:///main?host=db1,db2&port=5433,5434')).toEqual(['db1:5433', 'db2:5434']);
    expect(named('postgresql:///main?host=db1,::1&port=5433')).toEqual(['db1:5433', '[::1]:5433']);
    expect(databaseHosts('postgresql://app@/main?host=/run/a,db2&connect_timeout=3').hosts).toEqual([
      { name: '/run/a:5432', connectionString: 'postgresql://app@%2Frun%2Fa:5432/main?connect_timeout=3' },
      { name: 'db2:5432', connectionString: 'postgresql://app@db2:5432/main?connect_timeout=3' },
    ]);
  });

  it('may be IPv6 addresses in brackets', () => {
    expect(databaseHosts('postgres://app@[::1]:5433,[fe80::2]/main').hosts).toEqual([
      { name: '[::1]:5433', connectionString: 'postgres://app@[::1]:5433/main' },
      { name: '[fe80::2]:5432', connectionString: 'postgres://app@[fe80::2]:5432/main' },
    ]);
  });

  it.each([
    ['postgresql://app:word@db:5432/main', 'db:5432'],
    ['postgresql://app:word@[::1]/main', '[::1]:5432'],
    ['postgresql://app@%2Fvar%2Frun/main', '/var/run:5432'],
    ['postgresql:///main?host=/var/run', '/var/run:5432'],
    ['postgresql://app:word@/main', ':5432'],
  ])('are one, used as it is, where one is written: %s', (written, name) => {
    expect(databaseHosts(written)).toEqual({ wanted: 'any', hosts: [{ name, connectionString: written }] });
  });

  it.each(['read-write', 'primary', 'any'])('are asked for what is wanted: %s', (wanted) => {
    expect(databaseHosts(`postgres://db1,db2/main?target_session_attrs=${wanted}&ssl=0`)).toMatchObject({
      wanted,
      hosts: [{ connectionString: 'postgres://db1:5432/main?ssl=0' }, {}],
    });
    expect(databaseHosts(`postgres://db1/main?target_session_attrs=${wanted}`)).toMatchObject({ wanted });
  });

  it.each([
    ['postgres://app:secret@db1,/main', 'a host before and after each comma'],
    ['postgres://app:secret@,db1/main', 'a host before and after each comma'],
    ['postgres:///main?host=db1,&user=secret', 'a host before and after each comma'],
    ['postgres://app:secret@db1:x,db2/main', 'each port as a number'],
    ['postgres://app:secret@db1:70000,db2/main', 'each port as a number'],
    ['postgres://app:secret@fe80::1,db2/main', 'IPv6 addresses in brackets'],
    ['postgres:///main?host=a,b,c&port=1,2&user=secret', 'one port for each of the 3 hosts'],
    ['postgres://app:secret@db1,db2/main?target_session_attrs=standby', 'target_session_attrs=read-write'],
    ['postgres://app:secret@db1/main?target_session_attrs=prefer-standby', 'target_session_attrs=read-write'],
    ['postgres://app:secret@db1 x,db2/main', 'percent-encode'],
  ])('are refused with what to write, and without the password: %s', (written, remedy) => {
    expect(() => databaseHosts(written)).toThrow(remedy);
    expect(() => databaseHosts(written)).not.toThrow('secret');
  });
});
