/** Programs that look for holes, and what they ask for. */
import { inPath, type ManagedRule } from './managed-rule.ts'

export const scanner: readonly ManagedRule[] = [
  {
    ref: 'scanner-user-agent',
    says: 'The name of a well-known scanner',
    tags: ['scanner'],
    does: 'block',
    expression:
      'lower(http.user_agent) matches r#"sqlmap|nikto|nessus|acunetix|netsparker|masscan|zgrab|nuclei|wpscan|dirbuster|gobuster|feroxbuster|ffuf|openvas|arachni|w3af|havij|jaeles|commix"#',
    matches: [
      { headers: { 'user-agent': 'sqlmap/1.8#stable' } },
      { headers: { 'user-agent': 'Mozilla/5.0 Nikto/2.5' } },
    ],
    passes: [
      { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' } },
      { headers: { 'user-agent': 'curl/8.5.0' } },
    ],
  },
  {
    ref: 'scanner-no-user-agent',
    says: 'A request that does not say which program sent it',
    tags: ['scanner', 'protocol'],
    does: { score: 2 },
    expression: 'not len(http.user_agent) > 0',
    matches: [{ headers: {} }, { headers: { 'user-agent': '' } }],
    passes: [{ headers: { 'user-agent': 'x' } }, { headers: { 'user-agent': 'Mozilla/5.0' } }],
  },
  {
    ref: 'scanner-dot-file',
    says: 'A file that tools leave behind in a directory',
    tags: ['scanner', 'information-leak'],
    does: 'block',
    expression: inPath(
      String.raw`/\.(git|svn|hg|bzr|env|aws|ssh|kube|docker|htaccess|htpasswd|ds_store|idea|vscode|npmrc|bash_history)([/.\-]|$)`,
    ),
    matches: ['/.git/config', '/app/.env'],
    passes: ['/.well-known/security.txt', '/blog/dot.git-explained'],
  },
  {
    ref: 'scanner-backup-file',
    says: 'A copy of a file that was not meant to be served',
    tags: ['scanner', 'information-leak'],
    does: { score: 5 },
    expression: inPath(
      String.raw`\.(bak|old|orig|save|swp|swo|sql|sqlite3?|dump)(\.(gz|zip|bz2|xz))?$|/(backup|db|dump|site|www)\.(zip|tar|tgz|tar\.gz|rar|7z)$|\.php~$`,
    ),
    matches: ['/index.php.bak', '/backup.zip'],
    passes: ['/downloads/setup.zip', '/docs/sql'],
  },
  {
    ref: 'scanner-database-console',
    says: 'The console of a database that should not face the internet',
    tags: ['scanner'],
    does: 'block',
    expression: inPath(
      String.raw`/(phpmyadmin|pma|myadmin|adminer(-[\d.]+)?\.php|phppgadmin|mysqladmin|h2-console|_utils/|mongo-express)`,
    ),
    matches: ['/phpMyAdmin/index.php', '/adminer-4.8.1.php'],
    passes: ['/admin', '/blog/choosing-a-database'],
  },
  {
    ref: 'scanner-server-status',
    says: 'A page on which a server or framework tells of itself',
    tags: ['scanner', 'information-leak'],
    does: 'block',
    expression: inPath(
      String.raw`^/(server-status|server-info|nginx_status|phpinfo\.php|info\.php|_profiler|telescope/requests|debug/pprof|elmah\.axd|trace\.axd)(/|$)`,
    ),
    matches: ['/server-status', '/debug/pprof/heap'],
    passes: ['/status', '/docs/server-status-explained'],
  },
  {
    ref: 'scanner-actuator',
    says: 'The management endpoints of a Spring application',
    tags: ['scanner', 'java', 'information-leak'],
    does: 'block',
    expression: inPath(
      String.raw`/actuator(;[^/]*)?/(env|heapdump|threaddump|jolokia|gateway|logfile|configprops|mappings|shutdown)\b`,
    ),
    matches: ['/actuator/env', '/app/actuator/heapdump'],
    passes: ['/actuator/health', '/products/actuator'],
  },
  {
    ref: 'scanner-java-console',
    says: 'The administration console of a Java server',
    tags: ['scanner', 'java'],
    does: 'block',
    expression: inPath(
      '/(manager/html|host-manager/|jmx-console|web-console/|invoker/jmx|wls-wsat/|solr/admin/|jenkins/script)',
    ),
    matches: ['/manager/html', '/wls-wsat/CoordinatorPortType'],
    passes: ['/manager', '/blog/solr'],
  },
  {
    ref: 'scanner-router-shell',
    says: 'The set-up pages of home routers and cameras, as worms ask for them',
    tags: ['scanner', 'iot', 'rce'],
    does: 'block',
    expression: inPath(
      String.raw`^/(gponform/|hnap1|boaform/|cgi-bin/(luci|kerbynet|nas_sharing|mainfunction)|setup\.cgi|shell$|goform/)`,
    ),
    matches: ['/GponForm/diag_Form', '/cgi-bin/luci/;stok=/locale'],
    passes: ['/cgi-bin/search', '/setup'],
  },
]
