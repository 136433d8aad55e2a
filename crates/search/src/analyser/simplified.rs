//! Traditional Chinese forms that technical texts use, and their simplified ones.

use std::sync::LazyLock;

/// Pairs of a traditional form and the simplified one. Written by hand for the vocabulary of software,
/// graphics, media and office work; a form that is missing here is searched as it is written.
const PAIRS: &str = "
萬万 與与 業业 東东 絲丝 丟丢 兩两 嚴严 個个 豐丰 臨临 為为 麗丽 舉举 義义 烏乌 樂乐 喬乔 習习 鄉乡 書书 買买 亂乱 爭争 於于 虧亏 雲云 亞亚 產产 畝亩 親亲 億亿 僅仅 從从
倉仓 儀仪 們们 價价 眾众 優优 會会 傘伞 偉伟 傳传 傷伤 倫伦 偽伪 佇伫 體体 傭佣 僉佥 俠侠 側侧 偵侦 僑侨 倆俩 儉俭 債债 傾倾 償偿 儲储 兒儿 黨党 蘭兰 關关 興兴 養养 獸兽
內内 岡冈 冊册 寫写 軍军 農农 馮冯 衝冲 決决 況况 凍冻 淨净 涼凉 減减 湊凑 凱凯 擊击 鑿凿 劃划 劉刘 則则 剛刚 創创 刪删 別别 剎刹 劑剂 劍剑 劇剧 勸劝 辦办 務务 動动 勵励
勁劲 勞劳 勢势 勝胜 匯汇 區区 醫医 華华 協协 單单 賣卖 盧卢 衛卫 卻却 廠厂 廳厅 曆历 歷历 厲厉 壓压 厭厌 廁厕 廂厢 縣县 參参 雙双 發发 髮发 變变 敘叙 疊叠 葉叶 號号 嘆叹
籲吁 嚇吓 後后 嗎吗 啟启 吳吴 員员 聽听 嗆呛 嗚呜 詠咏 響响 啞哑 嘩哗 喚唤 問问 囉啰 噴喷 囑嘱 團团 園园 圍围 國国 圖图 圓圆 聖圣 場场 壞坏 塊块 堅坚 壇坛 壩坝 墳坟 墜坠
壟垄 壘垒 墾垦 墊垫 塵尘 牆墙 壯壮 聲声 殼壳 壺壶 處处 備备 復复 複复 夠够 頭头 誇夸 夾夹 奪夺 奮奋 獎奖 奧奥 妝妆 婦妇 媽妈 婁娄 嬌娇 娛娱 嬰婴 孫孙 學学 寧宁 寶宝 實实
寵宠 審审 憲宪 宮宫 寬宽 賓宾 寢寝 對对 尋寻 導导 壽寿 將将 爾尔 嘗尝 堯尧 盡尽 層层 屜屉 屆届 屬属 屢屡 嶼屿 歲岁 豈岂 崗岗 島岛 嶺岭 幣币 帥帅 師师 帳帐 簾帘 幟帜 帶带
幀帧 幫帮 幹干 乾干 並并 廣广 莊庄 慶庆 廬庐 庫库 應应 廟庙 龐庞 廢废 開开 異异 棄弃 張张 彌弥 彎弯 彈弹 強强 歸归 當当 錄录 徹彻 徑径 禦御 憶忆 憂忧 懷怀 態态 慫怂 總总
懇恳 惡恶 惱恼 懸悬 驚惊 懼惧 慘惨 懲惩 慣惯 憤愤 願愿 懶懒 戲戏 戰战 戶户 紮扎 撲扑 執执 擴扩 掃扫 揚扬 擾扰 撫抚 拋抛 摶抟 搶抢 護护 報报 擔担 擬拟 攏拢 揀拣 擁拥 攔拦
擰拧 撥拨 擇择 掛挂 摯挚 撓挠 擋挡 掙挣 擠挤 揮挥 撈捞 損损 撿捡 換换 搗捣 據据 擄掳 摻掺 攪搅 攜携 攝摄 擺摆 搖摇 攤摊 撐撑 敵敌 數数 齋斋 斷断 無无 舊旧 時时 曠旷 晝昼
顯显 曬晒 曉晓 暈晕 暫暂 術术 樸朴 機机 殺杀 雜杂 權权 條条 來来 楊杨 極极 構构 槍枪 楓枫 櫃柜 標标 棧栈 棟栋 欄栏 樹树 樣样 橋桥 樁桩 樓楼 夢梦 檢检 槳桨 歡欢 歐欧 殘残
毀毁 畢毕 氈毡 氣气 氫氢 漢汉 湯汤 溝沟 沒没 瀝沥 淪沦 滄沧 滬沪 潔洁 灑洒 淺浅 漿浆 澆浇 測测 濟济 渾浑 濃浓 塗涂 濤涛 漣涟 渦涡 潤润 漲涨 滲渗 溫温 灣湾 濕湿 濺溅 滾滚
滿满 濾滤 濫滥 濱滨 灘滩 瀏浏 滅灭 燈灯 靈灵 災灾 爐炉 點点 煉炼 爛烂 燭烛 煙烟 煩烦 燒烧 燴烩 燙烫 熱热 愛爱 爺爷 牽牵 犧牺 狀状 獨独 獅狮 獄狱 獵猎 獲获 環环 現现 瑪玛
瓊琼 電电 畫画 暢畅 疇畴 療疗 瘋疯 癥症 皺皱 盤盘 蓋盖 監监 鹽盐 盜盗 睜睁 矯矫 礦矿 碼码 磚砖 確确 礎础 碩硕 禮礼 禍祸 離离 種种 積积 稱称 穩稳 窮穷 竊窃 窺窥 竄窜 競竞
筆笔 籤签 簽签 簡简 節节 範范 築筑 籃篮 類类 粵粤 糧粮 緊紧 繫系 係系 糾纠 紅红 約约 級级 紀纪 緯纬 純纯 紗纱 納纳 縱纵 紛纷 紙纸 紋纹 紡纺 線线 練练 組组 細细 織织 終终
絆绊 紹绍 繹绎 經经 綁绑 絨绒 結结 繞绕 繪绘 給给 絡络 絕绝 絞绞 統统 絹绢 繡绣 繼继 績绩 緒绪 續续 緋绯 繩绳 維维 綿绵 綜综 綠绿 綴缀 纜缆 緩缓 締缔 編编 緣缘 縛缚 縫缝
纏缠 縮缩 繳缴 網网 羅罗 罰罚 罷罢 聯联 聰聪 肅肃 腸肠 膚肤 腎肾 腫肿 脹胀 脅胁 膽胆 腳脚 臉脸 腦脑 臺台 颱台 檯台 艙舱 艦舰 艱艰 藝艺 蘇苏 蘋苹 莖茎 薦荐 蕩荡 榮荣 藥药
萊莱 蓮莲 營营 蕭萧 薩萨 藍蓝 蔥葱 蔣蒋 虛虚 蟲虫 雖虽 蝦虾 蝕蚀 補补 襯衬 襲袭 裝装 裡里 裏里 褲裤 見见 觀观 規规 視视 覽览 覺觉 觸触 計计 訂订 認认 討讨 讓让 訓训 議议
訊讯 記记 講讲 許许 論论 設设 訪访 證证 評评 識识 訴诉 診诊 詞词 譯译 試试 詩诗 話话 詢询 該该 詳详 語语 誤误 說说 請请 諸诸 課课 調调 談谈 謀谋 謝谢 謹谨 譜谱 讀读 貝贝
負负 貢贡 財财 責责 賢贤 敗败 賬账 貨货 質质 販贩 購购 貫贯 貼贴 貴贵 貸贷 費费 賀贺 資资 賦赋 賭赌 賞赏 賴赖 贈赠 贏赢 趙赵 趕赶 趨趋 躍跃 蹤踪 跡迹 車车 軌轨 轉转 輪轮
軟软 軸轴 輕轻 載载 較较 輔辅 輛辆 輩辈 輯辑 輸输 轄辖 轍辙 邊边 遼辽 達达 遷迁 過过 邁迈 運运 還还 這这 進进 遠远 違违 連连 遲迟 適适 選选 遜逊 遞递 邏逻 遺遗 鄰邻 郵邮
鄭郑 醞酝 醬酱 釋释 鑒鉴 針针 釘钉 鈣钙 鈍钝 鈔钞 鋼钢 鑰钥 鉤钩 鈕钮 錢钱 鉗钳 鑽钻 鐵铁 鉛铅 銅铜 鋁铝 銀银 鋪铺 鏈链 銷销 鎖锁 鍋锅 鏽锈 鋒锋 錯错 錨锚 錘锤 錐锥 錦锦
鍵键 鋸锯 鏡镜 鍊炼 鑲镶 長长 門门 閃闪 閉闭 間间 閘闸 聞闻 閥阀 閱阅 闊阔 隊队 陽阳 陰阴 陣阵 階阶 際际 陸陆 陳陈 險险 隨随 隱隐 隸隶 難难 雛雏 霧雾 靜静 頁页 頂顶 項项
順顺 須须 鬚须 頑顽 顧顾 頓顿 預预 領领 頗颇 頻频 題题 額额 顏颜 顆颗 風风 飛飞 飯饭 飲饮 飾饰 飽饱 餅饼 餘余 館馆 饋馈 馬马 馱驮 馳驰 驅驱 駁驳 駐驻 駕驾 駭骇 驗验 騎骑
騙骗 騷骚 驟骤 鬆松 鬥斗 魚鱼 魯鲁 鮮鲜 鯨鲸 鳥鸟 雞鸡 鳴鸣 鴨鸭 鷹鹰 麥麦 黃黄 齊齐 齒齿 齡龄 龍龙 龜龟 閒闲 牠它 覈核 綵彩 準准 製制 佈布 採采 週周 鍾钟 鐘钟 麵面 喫吃
託托 註注
";

static TABLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut table: Vec<(char, char)> = PAIRS
        .split_whitespace()
        .filter_map(|pair| {
            let mut characters = pair.chars();
            Some((characters.next()?, characters.next()?))
        })
        .collect();
    table.sort_unstable();
    table
});

/// The simplified form of a traditional character; any other as it is.
pub(super) fn simplified(character: char) -> char {
    let table = &*TABLE;
    table
        .binary_search_by_key(&character, |(traditional, _)| *traditional)
        .ok()
        .and_then(|place| table.get(place))
        .map_or(character, |(_, simplified)| *simplified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_well_formed() {
        for pair in PAIRS.split_whitespace() {
            assert_eq!(pair.chars().count(), 2, "{pair}");
        }
        for pair in TABLE.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{pair:?}");
        }
    }

    #[test]
    fn technical_words_meet() {
        let fold = |text: &str| text.chars().map(simplified).collect::<String>();
        assert_eq!(fold("動畫綁定與渲染設定"), "动画绑定与渲染设定");
        assert_eq!(fold("匯出貼圖"), "汇出贴图");
        assert_eq!(fold("多边形"), "多边形");
    }
}
