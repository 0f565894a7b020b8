//! Findings in Simplified Chinese.

use tidings_ipc::FindingPart;
use tidings_model::Lang;
use tidings_net::CertificateFault;
use tidings_strings::settings::bytes;
use tidings_strings::strings;
use tidings_sync::Trouble;
use tidings_sync::session::KeyringState;

use super::{Span, Words, time};
use crate::{Database, Found, SourceFound, offers};

pub(super) const fn name(part: FindingPart) -> &'static str {
    match part {
        FindingPart::Session => "桌面会话",
        FindingPart::Tray => "托盘",
        FindingPart::Notifications => "通知服务",
        FindingPart::Sounds => "声音",
        FindingPart::Keyring => "密钥环",
        FindingPart::Portals => "桌面门户",
        FindingPart::WebView => "网页视图",
        FindingPart::Autostart => "登录时启动",
        FindingPart::Folder => "数据文件夹",
        FindingPart::Disk => "磁盘",
        FindingPart::Inbox => "收件箱",
        FindingPart::Server => "服务器数据库",
        FindingPart::Port => "本机的服务器",
        FindingPart::Clock => "时钟",
        FindingPart::Version => "版本",
        FindingPart::Source => "来源",
    }
}

pub(super) fn words(found: &Found) -> Words {
    match found {
        Found::NoSession => ("此处没有桌面，未检查桌面的各部分".to_owned(), None),
        Found::Bus(true) => ("有会话总线".to_owned(), None),
        Found::Bus(false) => (
            "没有会话总线。弹窗、托盘图标和密钥环都需要它".to_owned(),
            Some("重新登录桌面，或用 dbus-run-session 启动 Tidings"),
        ),
        Found::TrayHost(true) => ("桌面会显示托盘图标".to_owned(), None),
        Found::TrayHost(false) => (
            "此桌面不显示托盘图标。Tidings 会在没有图标的情况下继续运行".to_owned(),
            Some("在面板中添加托盘。GNOME 需要 AppIndicator 扩展"),
        ),
        Found::Notifications(Some(daemon)) => {
            let known = format!("{} {}；{}", daemon.name, daemon.version, daemon.capabilities.join("、"));
            if offers(daemon, "actions") {
                return (known, None);
            }
            let advice = "使用窗口中的按钮，或换用其他通知服务，例如 dunst";
            (format!("不显示按钮：{known}"), Some(advice))
        }
        Found::Notifications(None) => (
            "没有通知服务应答，因此没有弹窗".to_owned(),
            Some("启动一个通知服务，例如 dunst。Tidings 会自动找到它"),
        ),
        Found::Sounds(Some(by)) => (format!("由 {by} 播放"), None),
        Found::Sounds(None) => (
            "通知服务不播放声音，因此弹窗没有声音".to_owned(),
            Some("安装 canberra-gtk-play：在 Debian 和 Ubuntu 上是软件包 gnome-session-canberra"),
        ),
        Found::Keyring(KeyringState::Open) => ("已解锁".to_owned(), None),
        Found::Keyring(KeyringState::Locked) => {
            ("已锁定。新令牌保存在只有你能读取的文件中".to_owned(), Some("解锁它，例如在“密码和密钥”程序中"))
        }
        Found::Keyring(KeyringState::Missing) => (
            "没有密钥环。令牌保存在只有你能读取的文件中".to_owned(),
            Some("要加密保存，安装一个密钥环，例如 gnome-keyring"),
        ),
        Found::Portals(names) if names.is_empty() => (
            "没有桌面门户，因此不知道桌面的代理".to_owned(),
            Some("如需该代理，安装 xdg-desktop-portal，或在“设置”的“来源”中设置代理"),
        ),
        Found::Portals(names) => (names.join("、"), None),
        Found::WebView(Some(version)) => (version.clone(), None),
        Found::WebView(None) => (
            "缺少网页视图，无法打开窗口".to_owned(),
            Some("安装 WebKitGTK：在 Debian 和 Ubuntu 上是软件包 libwebkit2gtk-4.1-0"),
        ),
        Found::Autostart(true) => ("已打开".to_owned(), None),
        Found::Autostart(false) => ("已关闭".to_owned(), None),
        Found::Folder => ("可以写入".to_owned(), None),
        Found::FolderRefused(why) => {
            (format!("无法写入：{why}"), Some("让你的用户可以写入，或用 TIDINGS_DATA_DIR 指定另一个文件夹"))
        }
        Found::DiskFree(free) => (format!("剩余 {}", bytes(*free)), None),
        Found::DiskLow(free) => (format!("仅剩 {}，因此不再获取内容", bytes(*free)), Some("释放磁盘空间")),
        Found::DiskFull => ("磁盘已满，无法保存任何内容".to_owned(), Some("释放磁盘空间")),
        Found::NoFilesLeft => {
            ("无法再创建文件".to_owned(), Some("删除磁盘上的文件，例如含有大量小文件的缓存"))
        }
        Found::Database(part, database) => database_words(*part, database),
        Found::StampsAhead => (
            "错误的时钟留下了未来的时间".to_owned(),
            Some("检查时钟。如果时钟正确，在窗口中或用 tidings check --mend-clock 修正时间"),
        ),
        Found::Port(port) => (format!("在端口 {port} 上应答"), None),
        Found::PortTaken { wanted, actual } => {
            let instead = actual.map(|port| format!("。它在端口 {port} 上应答")).unwrap_or_default();
            let advice = "结束该程序，或在“设置”的“本机”的“高级”中选择其他端口";
            (format!("端口 {wanted} 已被其他程序使用{instead}"), Some(advice))
        }
        Found::NoServer(None) => ("未运行".to_owned(), None),
        Found::NoServer(Some(why)) => {
            (format!("无法启动：{why}"), Some("重新启动 Tidings。日志中有更多信息"))
        }
        Found::ClockRight => ("与服务器一致".to_owned(), None),
        Found::ClockOff { host, seconds } => {
            let direction = if *seconds > 0 { "慢" } else { "快" };
            let advice = "设置本机的时间。如果时间正确，告知服务器的管理员";
            (format!("比 {host} 的时钟{direction} {}", span(seconds.unsigned_abs())), Some(advice))
        }
        Found::AgeHold(hours) => (
            format!("时钟曾向前跳变，因此再运行 {hours} 小时之内不会按时间删除任何内容"),
            Some("检查本机的日期和时间"),
        ),
        Found::NewerVersion(newer) => {
            (format!("Tidings {} 已发布", newer.version), Some("用安装当前版本的方式安装它"))
        }
        Found::NewestVersion => ("没有更新的版本".to_owned(), None),
        Found::NoReleases => ("无法读取新版本的列表".to_owned(), Some("检查网络。Tidings 会在一天之内重试")),
        Found::Source(source) => source_words(source),
    }
}

fn database_words(part: FindingPart, database: &Database) -> Words {
    match database {
        Database::Missing => ("尚未创建".to_owned(), None),
        Database::Sound => ("完好".to_owned(), None),
        Database::Damaged if part == FindingPart::Inbox => {
            ("已损坏".to_owned(), Some("在窗口中或用 tidings repair 修复"))
        }
        Database::Damaged => {
            ("已损坏".to_owned(), Some("在“设置”的“存储”中或用 tidings restore 恢复备份。保留损坏的文件"))
        }
        Database::InUse => ("正被另一个程序独占，例如正在恢复".to_owned(), Some("等待该程序完成，或结束它")),
        Database::Refused(why) => (format!("无法打开：{why}"), Some("查看此文件。其中没有任何改动")),
        Database::Answers => ("有应答".to_owned(), None),
        Database::NoAnswer(_) => (
            "没有应答".to_owned(),
            Some("检查 --store 或 TIDINGS_STORE 中的地址，以及 PostgreSQL 是否在运行"),
        ),
    }
}

fn source_words(source: &SourceFound) -> Words {
    if source.paused {
        return ("已暂停".to_owned(), None);
    }
    let fetched = match source.last_pull {
        Some(at) => format!("上次获取于 {}", time(at)),
        None => "尚未获取任何内容".to_owned(),
    };
    match source.trouble {
        None => (fetched, None),
        Some(trouble) => (format!("{}。{fetched}", strings(Lang::ZhCn).trouble(trouble)), advice(trouble)),
    }
}

const fn advice(trouble: Trouble) -> Option<&'static str> {
    Some(match trouble {
        Trouble::SignIn => "在“设置”的“来源”中或用 tidings source sign-in 重新登录",
        Trouble::Certificate(CertificateFault::UnknownAuthority) => {
            "如果该颁发机构属于你的公司或你自己，在“设置”的“来源”的“高级”中添加其证书"
        }
        Trouble::Certificate(CertificateFault::NotValidNow) => {
            "检查本机的时钟。如果时钟正确，告知服务器的管理员"
        }
        Trouble::Certificate(CertificateFault::ClientWanted | CertificateFault::ClientKey) => {
            "在“设置”的“来源”的“高级”中添加你的客户端证书"
        }
        Trouble::Setup => "安装软件包 ca-certificates",
        Trouble::Offline => "检查网络，以及“设置”的“来源”的“高级”中的代理",
        Trouble::NameNotFound => "检查地址，以及此网络的域名服务器（DNS）。Tidings 会继续重试",
        Trouble::Unreachable | Trouble::Slow | Trouble::Unavailable(_) => {
            "检查地址，以及服务是否在运行。Tidings 会继续重试"
        }
        Trouble::Waiting(_) | Trouble::PullEnded(_) | Trouble::PassedBy => return None,
        _ if trouble.is_local() => "先查看关于本机的各行",
        _ => "检查地址。如果地址正确，告知服务器的管理员",
    })
}

fn span(seconds: u64) -> String {
    match Span::of(seconds) {
        Span::Days(days) => format!("{days} 天"),
        Span::Hours(hours) => format!("{hours} 小时"),
        Span::Minutes(minutes) => format!("{minutes} 分钟"),
    }
}
