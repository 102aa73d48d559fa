/** Attempts to speak to the database behind an application. */
import { form, inQueryOrBody, json, type ManagedRule } from './managed-rule.ts'

export const sqli: readonly ManagedRule[] = [
  {
    ref: 'sqli-union-select',
    says: 'A UNION SELECT that would join foreign rows to an answer',
    tags: ['sqli'],
    does: 'block',
    expression: inQueryOrBody(String.raw`\bunion(\s|/\*[^*]*\*/)+((all|distinct)(\s|/\*[^*]*\*/)+)?select\b`),
    matches: ['/items?id=1+UNION+SELECT+name,pass+FROM+users', form('id=1%27%20union/**/all/**/select%201,2--')],
    passes: ['/search?q=student+union+members', form('topic=union&next=selected+works')],
  },
  {
    ref: 'sqli-tautology',
    says: 'A closed quote followed by a condition that is always true',
    tags: ['sqli'],
    does: 'block',
    expression: inQueryOrBody(String.raw`['"]\s*(or|and|\|\||&&)\s*\(?\s*['"]?[\w.]+['"]?\s*(=|like|<|>)\s*['"]?[\w.]`),
    matches: ["/login?user=x'+or+'1'='1", form('user=admin%22%20OR%201=1%20--')],
    passes: ["/search?name=O'Reilly", form("motto='now'+or+never")],
  },
  {
    ref: 'sqli-stacked-statement',
    says: 'A second statement after a semicolon that changes tables',
    tags: ['sqli'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`;\s*(drop\s+(table|database|schema|user)|truncate\s+table|alter\s+table|insert\s+into|delete\s+from|update\s+\w+\s+set)\b`,
    ),
    matches: ['/p?id=5;DROP+TABLE+users', form('note=x%27%3B%20delete%20from%20orders')],
    passes: ['/p?text=drop+the+table+off;+thanks', form('style=color:red;update+soon')],
  },
  {
    ref: 'sqli-time-delay',
    says: 'A function that makes the database wait, to read answers from the clock',
    tags: ['sqli'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`\b(sleep|pg_sleep|benchmark|dbms_pipe\.receive_message)\s*\(\s*['"\d]|waitfor\s+delay\s+['"]`,
    ),
    matches: ['/p?id=1+and+sleep(5)', form("id=1;WAITFOR%20DELAY%20'0:0:5'")],
    passes: ['/shop?q=sleep+(comfort)+mattress', json('{"title":"benchmark (spring)"}')],
  },
  {
    ref: 'sqli-schema-tables',
    says: 'The names of tables in which databases describe themselves',
    tags: ['sqli'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`\binformation_schema\.(tables|columns|schemata)|\bsqlite_(master|schema)\b|\bpg_catalog\.|\bsys\.(objects|tables|columns)\b|\ball_tab_columns\b`,
    ),
    matches: ['/p?id=(select+1+from+information_schema.tables)', form('q=select+sql+from+sqlite_master')],
    passes: ['/docs?topic=information+schema', form('q=the+sys+admin+objects')],
  },
  {
    ref: 'sqli-quote-comment',
    says: 'A quote directly followed by the start of a comment',
    tags: ['sqli'],
    does: { score: 5 },
    expression: inQueryOrBody(String.raw`['"]\s*\)*\s*(--(\s|$)|/\*|#\s*$)`),
    matches: ["/login?user=admin'--", form('user=admin%22)%20/*')],
    passes: ["/search?q=rock+'n'+roll", json('{"a":"b","c":"--"}')],
  },
  {
    ref: 'sqli-file-access',
    says: 'Reading or writing files through the database',
    tags: ['sqli'],
    does: 'block',
    expression: inQueryOrBody(String.raw`\binto\s+(outfile|dumpfile)\s+['"]|\bload_file\s*\(`),
    matches: ["/p?id=1+into+outfile+'/var/www/x.php'", form("id=load_file('/etc/hosts')")],
    passes: ['/upload?mode=load_file', form('text=look+into+outfile+formats')],
  },
  {
    ref: 'nosqli-operator',
    says: 'A query operator of a document store in the place of a value',
    tags: ['nosqli'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`\[\$(ne|eq|gt|gte|lt|lte|in|nin|regex|where|exists)\]|"\$(ne|gt|gte|lt|lte|nin|regex|where|exists)"\s*:`,
    ),
    matches: ['/login?user=admin&pass[$ne]=x', json('{"user":{"$gt":""}}')],
    passes: ['/shop?price[min]=5', json('{"price":"$10","where":"here"}')],
  },
  {
    ref: 'ldap-filter-break',
    says: 'Parentheses that end a directory filter and begin a wider one',
    tags: ['ldap'],
    does: { score: 5 },
    expression: inQueryOrBody(
      String.raw`\*?\)\s*\(\s*[|&]?\s*\(?\s*(uid|cn|sn|mail|objectclass|userpassword)\s*=\s*\*?`,
    ),
    matches: ['/find?user=*)(uid=*', form('user=x)(|(objectClass=*)')],
    passes: ['/find?user=(uid+1000)', form('user=mail+(work)+(home)')],
  },
]
